import type { WayIn } from '#shared/model/way-in.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** How players join, and how plugins reach the master. */
export const wayIn = new Fetched<WayIn>(() => call('wayIn.get', {}));
