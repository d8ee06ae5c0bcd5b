import type { BackupState } from '#shared/model/backup.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `backup.*`. @param read reads the state of the backups */
export function backupHandlers(read: () => Promise<BackupState>): HandlersOf<'backup'> {
  return {
    'backup.get': async (_, { templates }) => {
      const state = await read();
      if (templates === null || state.lastComplete === null) return state;
      // Removes the remarks for a caller with a template limit, because they name files of all templates.
      return { ...state, lastComplete: { ...state.lastComplete, remarks: [] } };
    },
  };
}
