import type { SoftwareUpdate } from '#shared/model/software.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** Newer builds of the software of templates. The screens that show it keep it up to date, because the master asks publishers. */
export const softwareUpdates = new Fetched<readonly SoftwareUpdate[]>(() => call('software.updates', {}));
