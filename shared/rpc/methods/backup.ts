import { backupStateSchema } from '../../model/backup.ts';
import { method, nothing } from './method.ts';

/** Backups of the master's data folder. The command line makes the backups; these methods show their state. */
export const backupMethods = {
  'backup.get': method('viewer', nothing, backupStateSchema),
} as const;
