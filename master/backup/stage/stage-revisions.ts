import { copyFile, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { readRecord, type RevisionRecord } from '#master/templates/revisions/revision-record.ts';
import { ObjectDamaged, type ObjectPool } from './object-pool.ts';

const RECORD = /^[0-9a-f]{16}\.json$/;

const PARALLEL_FILES = 16;

/** Maximum number of times that the list of revisions is read, if revisions are removed in the meantime. */
const MAX_PASSES = 100;

/** The content of a revision store that was added to a backup. */
export interface StagedRevisions {
  /** Record of the newest revision. Null if there is none. */
  readonly newest: RevisionRecord | null;
  /** Names of revisions whose files are damaged on the disk. These revisions are not in the backup. */
  readonly damaged: readonly string[];
}

/**
 * Adds the complete revisions of a store to a backup: their records as files, and their contents as objects. The
 * master may add and remove revisions in the meantime.
 *
 * A record is written after the files of its revision, and removed before them. A revision is therefore complete if
 * all of its files could be linked after its record was read. If a revision is removed in the meantime, the list of
 * revisions is read again, because the backup must contain the revision that has replaced it.
 *
 * @param from folder of the store; if it does not exist, there are no revisions
 * @param to folder for the records
 * @throws DiskReserveReached; errno errors
 */
export async function stageRevisions(from: string, to: string, pool: ObjectPool): Promise<StagedRevisions> {
  const staged = new Map<string, RevisionRecord>();
  const damaged = new Set<string>();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    let isComplete = true;
    for (const name of await namesIn(from)) {
      if (!RECORD.test(name) || staged.has(name) || damaged.has(name)) continue;
      await mkdir(to, { recursive: true, mode: 0o700 });
      const outcome = await stageRevision({ from, to, name }, pool);
      if (outcome === 'removed') isComplete = false;
      else if (outcome === 'damaged') damaged.add(name);
      else staged.set(name, outcome);
    }
    if (isComplete) break;
  }
  const [newest = null] = [...staged.values()].sort((a, b) => b.storedAt - a.storedAt);
  return { newest, damaged: [...damaged].map((name) => name.replace('.json', '')) };
}

async function stageRevision(
  { from, to, name }: { readonly from: string; readonly to: string; readonly name: string },
  pool: ObjectPool,
): Promise<RevisionRecord | 'removed' | 'damaged'> {
  const copy = join(to, name);
  try {
    await copyFile(join(from, name), copy);
    const record = await readRecord(copy);
    if (record === null) throw new ObjectDamaged(`${name} cannot be read`);
    const { revision, storedAt, entries } = record;
    const files = entries.filter(({ path, hash }) => !path.endsWith('/') && !pool.has(hash));
    await forEachLimited(files, PARALLEL_FILES, (entry) =>
      pool.link(join(from, revision, entry.path), entry),
    );
    // An unchanged record gets the same time in each backup, so that restic does not read it again.
    await utimes(copy, storedAt / 1000, storedAt / 1000);
    return record;
  } catch (error) {
    await rm(copy, { force: true });
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing && !(error instanceof ObjectDamaged)) throw error;
    return existsSync(join(from, name)) ? 'damaged' : 'removed';
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
