import { permits, type Role } from '#shared/model/access/role.ts';
import { includesTemplate, limitRefusal, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';
import { link } from './connection/link.svelte.ts';

/** Object of an action: templates by their ids, the network as a whole, or a template that is chosen later. */
type Concerned = readonly string[] | 'network' | 'some template';

/** Information about the connected master, including the role of the app's key. */
class Master extends Fetched<Result<'master.info'>> {
  readonly role: Role | null = $derived(this.value?.you.role ?? null);

  /** Whether the app's key may read the contents of files. True until this is known. */
  readonly readsFiles: boolean = $derived(this.value?.you.readsFiles ?? true);

  /** The templates to which the app's key is limited. Null if the key has no limit, or until this is known. */
  readonly limit: TemplateLimit = $derived(this.value?.you.templates ?? null);

  constructor() {
    super(() => call('master.info', {}));
  }

  /** Returns why the app's key may not act on these templates. Undefined if its limit includes them. */
  readonly limitRefusal = (concerned: Concerned): string | undefined => {
    const { limit } = this;
    if (limit === null || concerned === 'some template') return undefined;
    if (concerned === 'network') return `${limitRefusal(limit)}; this concerns the whole network`;
    return concerned.every((id) => includesTemplate(limit, id)) ? undefined : limitRefusal(limit);
  };

  /** Returns why an action that needs a role is not possible now. Undefined if the action is possible. */
  readonly refusal = (...[needs, concerned]: ['owner'] | ['operator', Concerned]): string | undefined => {
    if (!link.connected) return 'Not possible without a connection to the master';
    if (this.role !== null && !permits(this.role, needs)) {
      return `Your key has the role ${this.role}; this needs ${needs}`;
    }
    return concerned === undefined ? undefined : this.limitRefusal(concerned);
  };
}

export const master = new Master();
