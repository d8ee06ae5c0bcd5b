import { backupStateSchema } from '../../model/backup.ts';
import { method, nothing } from './method.ts';

/** Backups of the master's data folder, which the command line makes. */
export const backupMethods = {
  'backup.get': method('viewer', nothing, backupStateSchema),
} as const;
