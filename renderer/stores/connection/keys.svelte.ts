import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { call } from '../../bridge/bridge.ts';
import { Fetched } from '../fetched.svelte.ts';

/** The keys that the master accepts. Only an owner may list them. */
export const keys = new Fetched<readonly AuthorizedKey[]>(() => call('keys.list', {}));
