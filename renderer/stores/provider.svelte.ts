import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** State of the master's cloud provider. */
class Provider extends Fetched<Result<'nodes.provider'>> {
  constructor() {
    super(() => call('nodes.provider', {}));
  }
}

export const provider = new Provider();
