import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../../bridge/bridge.ts';
import { Fetched } from '../fetched.svelte.ts';

/** The master configuration, as kept fresh by the screens that show it or draw its lines. */
export const masterConfig = new Fetched<Result<'config.get'>>(() => call('config.get', {}));
