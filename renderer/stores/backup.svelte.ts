import type { BackupState } from '#shared/model/backup.ts';
import { call } from '../bridge/bridge.ts';
import { Fetched } from './fetched.svelte.ts';

/** State of the master's backups. */
class Backup extends Fetched<BackupState> {
  constructor() {
    super(() => call('backup.get', {}));
  }
}

export const backup = new Backup();
