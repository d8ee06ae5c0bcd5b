import type { BackupState } from '#shared/model/backup.ts';
import type { HandlersOf } from '../api.ts';

/** Text instead of the reason of a failed backup, which may name files of all templates. */
const HIDDEN_REASON =
  'The last backup failed. Only keys without a template limit can see why, because the reason may name files.';

/** Creates the handlers of `backup.*`. @param read reads the state of the backups */
export function backupHandlers(read: () => Promise<BackupState>): HandlersOf<'backup'> {
  return {
    'backup.get': async (_, { templates }) => {
      const state = await read();
      return templates === null ? state : withoutFileNames(state);
    },
  };
}

/** Returns the state of the backups for a caller with a template limit. */
function withoutFileNames({ problem, last, lastComplete, ...rest }: BackupState): BackupState {
  const why = last?.why ?? null;
  const hide = (text: string | null): string | null =>
    why === null || text === null ? text : text.replaceAll(why, () => HIDDEN_REASON);
  return {
    ...rest,
    // The problem may quote the reason.
    problem: hide(problem),
    last: last === null ? null : { ...last, why: hide(last.why) },
    lastComplete: lastComplete === null ? null : { ...lastComplete, remarks: [] },
  };
}
