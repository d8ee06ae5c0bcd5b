import type { SoftwareUpdate } from '#shared/model/software.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/**
 * Newer builds of the software of templates. Only the screens that show these builds keep them up to date, because
 * the master has to ask the publishers.
 */
export const softwareUpdates = new Fetched<readonly SoftwareUpdate[]>(() => call('software.updates', {}));
