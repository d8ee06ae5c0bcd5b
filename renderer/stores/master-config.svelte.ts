import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/**
 * The master configuration for its editor. Not the one that charts read: a screen that is left ends what it kept fresh,
 * and would take the answer away from the screen that comes.
 */
export const masterConfig = new Fetched<Result<'config.get'>>(() => call('config.get', {}));
