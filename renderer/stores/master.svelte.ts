import type { Role } from '#shared/model/role.ts';
import { permits } from '#shared/model/role.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';
import { link } from './connection/link.svelte.ts';

/** Information about the connected master, with the role of the app's key. */
class Master extends Fetched<Result<'master.info'>> {
  readonly role: Role | null = $derived(this.value?.you.role ?? null);

  /** Whether the app's key may read the contents of files. True while it is unknown. */
  readonly readsFiles: boolean = $derived(this.value?.you.readsFiles ?? true);

  constructor() {
    super(() => call('master.info', {}));
  }

  /** Returns why an action that needs a role is not possible now. Undefined if it is possible. */
  readonly refusal = (needs: 'operator' | 'owner'): string | undefined => {
    if (!link.connected) return 'Not possible without a connection to the master';
    if (this.role !== null && !permits(this.role, needs)) {
      return `Your key has the role ${this.role}; this needs ${needs}`;
    }
    return undefined;
  };
}

export const master = new Master();
