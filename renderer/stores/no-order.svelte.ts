import type { Wait } from '#shared/model/wait.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** Why a node that is wanted is not ordered; `value` is null when all is well, and until the first answer. */
class NoOrder extends Fetched<Wait | null> {
  constructor() {
    super(() => call('plan.noOrder', {}));
  }
}

export const noOrder = new NoOrder();
