import type { ConflictChoice } from '#shared/ipc/contract.ts';
import type { TreeFile } from './tree.ts';

/**
 * What becomes of files that are at the destination already. `refuse`: there was none when the transfer was begun; one
 * that appears is not touched.
 */
export type FilePolicy = 'refuse' | Exclude<ConflictChoice, 'rename'>;

/** A file at the destination. */
export interface ExistingFile {
  readonly bytes: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
}

/**
 * What to do with one file: copy it, leave it out, or count it as `arrived`: an earlier try of the same transfer has
 * brought it.
 *
 * @param again true when the transfer goes on after a break. Copies keep their time, so that same size and time mean:
 *   this very file. SFTP version 3 knows whole seconds only.
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
