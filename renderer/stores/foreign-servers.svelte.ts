import type { ForeignServer } from '#shared/model/foreign-server.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** Servers of other networks in the provider's project. */
class ForeignServers extends Fetched<ForeignServer[]> {
  constructor() {
    super(() => call('nodes.foreign', {}));
  }
}

export const foreignServers = new ForeignServers();
