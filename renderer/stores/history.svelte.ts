import type { Costs, History } from '#shared/model/history.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';
import { chartRange } from './app/remembered.svelte.ts';

/** The network's history over the chosen range. */
export const history = new Fetched<History>(() => call('history.get', { range: chartRange.value }));

/** Costs of cloud nodes. */
export const costs = new Fetched<Costs>(() => call('costs.get', {}));
