import type { Wait } from '#shared/model/wait.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** Why a needed node is not ordered. `value` is null if nothing prevents orders, and before the first response. */
class NoOrder extends Fetched<Wait | null> {
  constructor() {
    super(() => call('plan.noOrder', {}));
  }
}

export const noOrder = new NoOrder();
