import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../../bridge/bridge.ts';
import { Fetched } from '../fetched.svelte.ts';

/** The master configuration. Each screen that uses it keeps it up to date. */
export const masterConfig = new Fetched<Result<'config.get'>>(() => call('config.get', {}));
