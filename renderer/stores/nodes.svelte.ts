import type { Node } from '#shared/model/node.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** All nodes, in the order in which the master lists them. */
class Nodes extends Fetched<readonly Node[]> {
  readonly list: readonly Node[] = $derived(this.value ?? []);

  constructor() {
    super(() => call('nodes.list', {}));
  }
}

export const nodes = new Nodes();
