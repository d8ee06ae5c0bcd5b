import type { SyncRow } from '#shared/ipc/contract.ts';

/**
 * Maximum difference between times that count as equal (ms). SFTP version 3 stores times in whole seconds, FAT disks
 * in steps of 2 s.
 */
const TOLERANCE_MS = 2000;

/** One file on one side. `hash`: SHA-256 of its content; null if it was not computed. */
export interface SideFile {
  readonly bytes: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
  readonly hash: string | null;
}

/** All files below a folder by their relative path, separated by `/`. */
export type SideFiles = ReadonlyMap<string, SideFile>;

/**
 * Compares two folders file by file, sorted by path. Two files of equal size are the same if their hashes are equal.
 * If a hash is missing, they are the same if their times are at most 2 s apart. Of two files that differ, the file
 * with the later time is newer; if the times are at most 2 s apart, the files are `different`.
 */
export function compareSides(local: SideFiles, remote: SideFiles): SyncRow[] {
  const paths = [...new Set([...local.keys(), ...remote.keys()])].sort();
  return paths.map((path) => {
    const [here, there] = [local.get(path) ?? null, remote.get(path) ?? null];
    return { path, local: toRow(here), remote: toRow(there), verdict: judge(here, there) };
  });
}

function judge(local: SideFile | null, remote: SideFile | null): SyncRow['verdict'] {
  if (local === null) return 'remote only';
  if (remote === null) return 'local only';
  const lead = local.modifiedAt - remote.modifiedAt;
  const sameTime = Math.abs(lead) <= TOLERANCE_MS;
  const sameSize = local.bytes === remote.bytes;
  const hashed = local.hash !== null && remote.hash !== null;
  if (sameSize && (hashed ? local.hash === remote.hash : sameTime)) return 'same';
  if (sameTime) return 'different';
  return lead > 0 ? 'local newer' : 'remote newer';
}

function toRow(file: SideFile | null): SyncRow['local'] {
  return file === null ? null : { bytes: file.bytes, modifiedAt: file.modifiedAt };
}
