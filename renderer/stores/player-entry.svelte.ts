import type { PlayerEntry } from '#shared/model/player-entry.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** How players join, and how plugins reach the master. */
export const playerEntry = new Fetched<PlayerEntry>(() => call('wayIn.get', {}));
