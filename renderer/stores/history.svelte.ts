import type { Costs, History } from '#shared/model/history.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';
import { chartRange } from './app/remembered.svelte.ts';

/** What the network was like, over the span that is chosen now. */
export const history = new Fetched<History>(() => call('history.get', { range: chartRange.value }));

/** What rented nodes cost. */
export const costs = new Fetched<Costs>(() => call('costs.get', {}));
