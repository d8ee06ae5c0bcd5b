import { createHash } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ManifestEntry } from '#shared/model/files.ts';
import type { FileArea } from '../sftp/jail/file-area.ts';
import { codeOf, toFileError } from '../file-errors.ts';
import { sortInSlices } from './sliced-sort.ts';
import { MessageBudget } from './message-budget.ts';
import { openToRead, pieces } from '../open-to-read.ts';
import type { Work } from './tasks.ts';
import { toPath, toPlace, walk, type WalkEntry } from '../walk.ts';

/**
 * Lists everything below a folder, sorted by path, so that the app can compare it with another folder. Links are
 * listed as links. Special files are omitted.
 *
 * @param hashes whether every file is read and hashed
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, TOO_MANY (too many files and folders for one walk or for one
 *   message); the signal's abort reason
 */
export async function makeManifest(
  area: FileArea,
  { folder, hashes }: { readonly folder: string; readonly hashes: boolean },
  { signal, progress }: Work,
): Promise<ManifestEntry[]> {
  const found: WalkEntry[] = [];
  for await (const entry of walk(area, toPlace(folder), signal)) {
    if (entry.kind === 'other') continue;
    found.push(entry);
    if (entry.kind === 'file' && !hashes) progress.file();
  }
  const files = found.filter(({ kind }) => kind === 'file');
  progress.expect(files.length, hashes ? files.reduce((sum, { stats }) => sum + stats.size, 0) : 0);
  const room = new MessageBudget();
  const entries: ManifestEntry[] = [];
  for (const one of await sortInSlices(found, (a, b) => a.path < b.path)) {
    const entry = await toEntry(area, one, hashes ? { signal, progress } : null);
    if (entry === null) continue;
    if (!room.take(entry))
      throw new OverworldError('TOO_MANY', { what: 'files to compare', limit: entries.length });
    entries.push(entry);
  }
  return entries;
}

/**
 * Converts an entry that a walk has found to an entry of the manifest.
 *
 * @param hashing the task that reads and hashes the file; null if no hash is wanted
 * @returns null if the file vanished before it was read
 */
async function toEntry(
  area: FileArea,
  found: WalkEntry,
  hashing: Work | null,
): Promise<ManifestEntry | null> {
  const { path, kind, stats } = found;
  const entry = {
    path,
    kind: kind === 'other' ? 'link' : kind,
    bytes: kind === 'file' ? stats.size : 0,
    modifiedAt: Math.round(stats.mtimeMs),
    mode: stats.mode & 0o7777,
    hash: null,
  };
  if (kind !== 'file' || hashing === null) return entry;
  try {
    return { ...entry, ...(await readHash(area, found, hashing)) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw hashing.signal.aborted ? error : toFileError(error, toPath(found.place));
  }
}

/**
 * Reads and hashes a file. Also returns its size and modification time at the moment of reading, because the file may
 * have changed since the walk has found it.
 */
async function readHash(
  area: FileArea,
  { place }: WalkEntry,
  { signal, progress }: Work,
): Promise<Pick<ManifestEntry, 'bytes' | 'modifiedAt' | 'hash'>> {
  const file = await openToRead(area, place);
  try {
    const { mtimeMs } = await file.stat();
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of pieces(file, signal)) {
      hash.update(piece);
      bytes += piece.length;
      progress.bytes(piece.length);
    }
    progress.file();
    return { bytes, modifiedAt: Math.round(mtimeMs), hash: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
