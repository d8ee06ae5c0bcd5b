import type { InstalledProgram } from '../packages/packaging.ts';

/**
 * Reports whether an upgrade that was interrupted during the change has nevertheless finished, so that the next
 * upgrade must not continue it. This is the case if a master of the installed program makes decisions: the data has
 * changed in the meantime, and must not be replaced with the copy from that upgrade. It is also the case if a person
 * has since installed another package.
 *
 * @param last versions of the interrupted upgrade, and marks of the packages that it may have left installed. Records
 *   of earlier versions contain no marks. Such packages are only known by their version.
 * @param kept mark of the version that the interrupted upgrade was replacing
 * @param now the installed program, and whether a master that runs this program makes decisions
 */
export function hasFinished(
  last: { readonly before: string; readonly version: string | null; readonly marks: readonly string[] },
  kept: { readonly mark: string },
  now: Pick<InstalledProgram, 'version' | 'mark' | 'isComplete'> & { readonly isDeciding: boolean },
): boolean {
  if (!now.isComplete) return false;
  if (now.isDeciding) return true;
  if (last.marks.length === 0) return now.version !== last.before && now.version !== last.version;
  return now.mark !== kept.mark && !last.marks.includes(now.mark);
}
