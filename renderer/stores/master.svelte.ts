import type { Role } from '#shared/model/role.ts';
import { permits } from '#shared/model/role.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';
import { link } from './connection/link.svelte.ts';

/** The master of this connection: its versions and the rights of the app's key. */
class Master extends Fetched<Result<'master.info'>> {
  readonly role: Role | null = $derived(this.value?.you.role ?? null);

  constructor() {
    super(() => call('master.info', {}));
  }

  /** Returns why an action that needs a role is not possible now. Undefined if it is. */
  readonly refusal = (needs: 'operator' | 'owner'): string | undefined => {
    if (!link.connected) return 'Not possible without a connection to the master';
    if (this.role !== null && !permits(this.role, needs)) {
      return `Your key has the role ${this.role}; this needs ${needs}`;
    }
    return undefined;
  };
}

export const master = new Master();
