import type { AuthorizedKey } from '#shared/model/role.ts';
import { call } from '../../bridge/bridge.ts';
import { Fetched } from '../fetched.svelte.ts';

/** Whose keys the master accepts. Only an owner may ask. */
export const keys = new Fetched<readonly AuthorizedKey[]>(() => call('keys.list', {}));
