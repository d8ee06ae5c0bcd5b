import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** How the master stands with its hosting provider. */
class Provider extends Fetched<Result<'nodes.provider'>> {
  constructor() {
    super(() => call('nodes.provider', {}));
  }
}

export const provider = new Provider();
