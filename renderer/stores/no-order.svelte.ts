import type { Wait } from '#shared/model/wait.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** Why a node that is needed is not ordered. `value` is null if none is missing, and until the first answer. */
class NoOrder extends Fetched<Wait | null> {
  constructor() {
    super(() => call('plan.noOrder', {}));
  }
}

export const noOrder = new NoOrder();
