import type { AdminSession } from '#shared/model/access/admin-session.ts';
import { call } from '../../bridge/bridge.ts';
import { Fetched } from '../fetched.svelte.ts';

/** The sessions on the master. Owners see all sessions. Other people see only the sessions of their own key. */
export const sessions = new Fetched<readonly AdminSession[]>(() => call('sessions.list', {}));
