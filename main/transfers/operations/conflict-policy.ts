import type { ConflictChoice } from '#shared/ipc/contract.ts';
import type { TreeFile } from './tree.ts';

/**
 * What to do with files that exist at the destination. `refuse`: the destination did not exist when the transfer was
 * created, so a file that exists there now is not replaced.
 */
export type FilePolicy = 'refuse' | Exclude<ConflictChoice, 'rename'>;

/** A file at the destination. */
export interface ExistingFile {
  readonly bytes: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
}

/**
 * Decides about one file: copy it, skip it, or count it as `arrived` because an earlier attempt has copied it. A copy
 * keeps the time of its source. So a file with equal size and time (in whole seconds, as SFTP version 3 stores them)
 * is already copied.
 *
 * Example: policy `newer`, existing file older than the source → `copy`.
 *
 * @param existing the file at the destination; undefined if there is none
 * @param options.again whether the transfer continues after an interruption
 */
export function judgeFile(
  file: Pick<TreeFile, 'bytes' | 'modifiedAt'>,
  existing: ExistingFile | undefined,
  { policy, again }: { readonly policy: FilePolicy; readonly again: boolean },
): 'copy' | 'skip' | 'arrived' {
  if (existing === undefined) return 'copy';
  const [ours, theirs] = [toSeconds(file.modifiedAt), toSeconds(existing.modifiedAt)];
  if ((again || policy === 'resume') && existing.bytes === file.bytes && ours === theirs) return 'arrived';
  if (policy === 'skip') return 'skip';
  if (policy === 'newer') return theirs < ours ? 'copy' : 'skip';
  return 'copy';
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
