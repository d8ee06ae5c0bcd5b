import { RESTORE_NOTE } from './restore-note.ts';

/** Name of the folder with a revision that is not complete yet. */
export const STAGE = '.stage';

/**
 * Reports whether a name is one that a revision store gives to its own files and folders, or to their temporary
 * files.
 */
export function isOwnName(name: string): boolean {
  return (
    name === STAGE || /^[0-9a-f]{16}(\.json(\.\d+)?)?$/.test(name) || name.startsWith(`${RESTORE_NOTE}.`)
  );
}
