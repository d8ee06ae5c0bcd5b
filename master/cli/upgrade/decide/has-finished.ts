import type { MasterAnswer } from './judge-start.ts';

/**
 * Reports whether an upgrade that was interrupted during the change has nevertheless succeeded: its version is
 * installed, and a master of this version makes decisions. In this case, the data has changed in the meantime, and
 * must not be replaced with the copy from before that upgrade. An upgrade to the same version cannot be recognised.
 *
 * @param last versions of the interrupted upgrade
 * @param now version of the installed package, version that the installed program states, and the master's answer
 */
export function hasFinished(
  last: { readonly before: string; readonly version: string | null },
  now: { readonly installed: string; readonly program: string; readonly answer: MasterAnswer | null },
): boolean {
  if (last.version === last.before || last.version !== now.installed) return false;
  return now.answer?.version === now.program && now.answer.hasSynced;
}
