import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '#master/store/write-durably.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { copyNewFile } from '../copy-file.ts';
import { copyIn } from './copy-in.ts';
import { copyOut } from './copy-out.ts';
import { diskProblem, isDiskFull } from '../disk-problem.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { revisionOf, type RevisionEntry } from './manifest.ts';
import { realRootOf } from '../pinned-folder.ts';
import { isSameScan, scanFolder, type SeenFile } from './scan-folder.ts';
import { isOwnName, STAGE } from './own-names.ts';
import { RESTORE_NOTE } from './restore-note.ts';
import { revisionsToRemove } from './revision-keeping.ts';
import { takeIn, type FileContent } from './take-in.ts';
import type { RevisionLease } from '../template-files.ts';
import {
  isRecordName,
  readRecord,
  readSummary,
  summaryOf,
  writeRecord,
  type RevisionRecord,
  type RevisionSummary,
} from './revision-record.ts';

const PARALLEL_FILES = 4;
/**
 * Minimum age of the last change for a scan to be reliable (ms). File systems have time steps of up to 10 ms, so a
 * second change within one step can leave the stamp unchanged.
 */
const STAMP_STEP_MS = 50;

export type Stored =
  | { readonly kind: 'stored'; readonly record: RevisionRecord }
  /** The folder was changed during the call. Nothing was stored, and the caller must scan again later. */
  | { readonly kind: 'changed' };

interface StoreOptions {
  readonly folder: string;
  readonly template: string;
  /** Returns whether a service runs from the revision. */
  readonly isUsed: (revision: string) => boolean;
  /** Reserve of the disk with the stored revisions. */
  readonly reserve: DiskReserve;
  /** Returns the stored revisions that can be removed; default: {@link revisionsToRemove}. */
  readonly toRemove?: typeof revisionsToRemove;
  /** Returns whether a stored revision can be the newest one; by default, each can. */
  readonly mayBeNewest?: (revision: string) => boolean;
  /**
   * Whether a revision whose record is faulty stays on the disk and `open` throws, because it cannot be created
   * again. By default, such a revision is removed.
   */
  readonly keepsFaulty?: boolean;
  /** Called before the record of a revision is removed, when the revision is no longer listed. */
  readonly onRemove?: (revision: string) => Promise<void>;
}

/** A stored revision that is opened for reading, with the complete entries of its record. */
export interface StoredLease extends RevisionLease {
  readonly entries: RevisionRecord['entries'];
}

/** Content to store as a revision: its files with their hashes. */
export interface GivenContent {
  /** Sorted by path. */
  readonly entries: RevisionRecord['entries'];
  /** Returns a file with the content of a hash that the newest revision lacks. */
  readonly contentOf: (hash: string) => FileContent;
  /** The moment of the content (ms since epoch). */
  readonly at: number;
  /** Whether the content becomes the newest revision. If false, new content becomes an earlier revision. */
  readonly isNewest: boolean;
}

/**
 * Stored revisions of one template: the files in `<folder>/<revision>/` and the record in
 * `<folder>/<revision>.json`. The record is written last. A revision without a record is incomplete, and is removed
 * when the store is opened.
 */
export class RevisionStore {
  readonly #folder: string;
  readonly #reserve: DiskReserve;
  readonly #options: Pick<StoreOptions, 'template' | 'isUsed' | 'toRemove' | 'mayBeNewest' | 'onRemove'>;
  readonly #stored = new Map<string, RevisionSummary>();
  readonly #reading = new Map<string, number>();
  #newest: RevisionRecord | null = null;

  private constructor(options: StoreOptions) {
    this.#reserve = options.reserve;
    this.#folder = options.folder;
    this.#options = options;
  }

  /**
   * Opens the revisions in a folder, which is created if it does not exist. Removes incomplete revisions. Leaves
   * files and folders whose names a revision store does not use.
   *
   * @throws OverworldError DATA_FAULTY if `keepsFaulty` is true, and the summary of any record or the newest record
   *   is faulty; errno errors
   */
  static async open(options: StoreOptions): Promise<RevisionStore> {
    const store = new RevisionStore(options);
    const { folder, keepsFaulty = false } = options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = new Set(await readdir(folder));
    for (const name of names) {
      const summary = name.endsWith('.json') ? await readSummary(join(folder, name)) : null;
      if (summary !== null && names.has(summary.revision)) store.#stored.set(summary.revision, summary);
      else if (keepsFaulty && summary === null && isRecordName(name)) throw faultyRecord(join(folder, name));
    }
    await store.#readNewest(keepsFaulty);
    const kept = new Set([...store.#stored.keys()].flatMap((revision) => [revision, `${revision}.json`]));
    kept.add(RESTORE_NOTE);
    for (const name of names)
      if (!kept.has(name) && isOwnName(name)) await rm(join(folder, name), { recursive: true, force: true });
    return store;
  }

  /** Record of the newest revision; null if there is none. */
  get newest(): RevisionRecord | null {
    return this.#newest;
  }

  /** Summaries of all stored revisions, newest first. */
  get summaries(): readonly RevisionSummary[] {
    return [...this.#stored.values()].sort((a, b) => b.storedAt - a.storedAt);
  }

  /** Returns the record of a stored revision. @throws OverworldError REVISION_NOT_FOUND */
  async record(revision: string): Promise<RevisionRecord> {
    const known = this.#newest?.revision === revision ? this.#newest : null;
    const record =
      known ?? (this.#stored.has(revision) ? await readRecord(this.#recordPath(revision)) : null);
    if (record === null)
      throw new OverworldError('REVISION_NOT_FOUND', { template: this.#options.template, revision });
    return record;
  }

  /** Returns the hashes of all files in any stored revision. Revisions whose record cannot be read are left out. */
  async hashes(): Promise<ReadonlySet<string>> {
    const hashes = new Set<string>();
    for (const { revision } of this.summaries) {
      const record = await readRecord(this.#recordPath(revision));
      for (const { hash } of record?.entries ?? []) hashes.add(hash);
    }
    return hashes;
  }

  async #readNewest(keepsFaulty: boolean): Promise<void> {
    this.#newest = null;
    for (const { revision } of this.summaries) {
      if (this.#options.mayBeNewest?.(revision) === false) continue;
      this.#newest = await readRecord(this.#recordPath(revision));
      if (this.#newest !== null) return;
      if (keepsFaulty) throw faultyRecord(this.#recordPath(revision));
      // Without its record, a revision cannot be used, because the names and hashes of its files are unknown.
      this.#stored.delete(revision);
    }
  }

  #recordPath(revision: string): string {
    return `${this.pathOf(revision)}.json`;
  }

  /** Returns the folder with the files of a stored revision. */
  pathOf(revision: string): string {
    return join(this.#folder, revision);
  }

  /**
   * Stores the files that a scan of the template's folder found as a revision; `root` contains no links. Files that
   * are unchanged since the newest revision become hard links to its files, because stored files are never modified.
   * Other files are copied. The hash is computed from the copy, so that it matches the stored content even if the
   * source changes during the copy.
   *
   * @throws DiskReserveReached before anything is copied, or if other writes take the space meanwhile; errno errors
   */
  async store(root: string, files: readonly SeenFile[]): Promise<Stored> {
    const newest = this.newest;
    const known = new Map(newest?.entries.map((entry) => [entry.path, entry]));
    const isKnown = ({ path, stamp }: SeenFile): boolean => known.get(path)?.stamp === stamp;
    if (newest !== null && newest.entries.length === files.length) {
      if (files.every(isKnown)) return { kind: 'stored', record: newest };
    }
    this.#reserve.require(files.reduce((bytes, file) => bytes + (isKnown(file) ? 0 : file.size), 0));
    const stage = join(this.#folder, STAGE);
    const realRoot = await realRootOf(root);
    await rm(stage, { recursive: true, force: true });
    try {
      await mkdir(stage, { mode: 0o700 });
      const entries = new Map<string, RevisionRecord['entries'][number]>();
      for (const folder of foldersOf(files))
        await mkdir(join(stage, folder), { recursive: true, mode: 0o700 });
      await forEachLimited(files, PARALLEL_FILES, async (file) => {
        const before = known.get(file.path);
        const { path, size, mode, stamp } = file;
        const same = before?.stamp === stamp && newest !== null;
        const hash = same
          ? await this.#reuse(join(this.pathOf(newest.revision), path), join(stage, path), before)
          : path.endsWith('/')
            ? ''
            : await this.#reserve.use(size, () => copyIn(realRoot, file, join(stage, path)));
        entries.set(path, { path, size, mode, hash, stamp });
      });
      if (!(await isUnchanged(root, files))) return { kind: 'changed' };
      return {
        kind: 'stored',
        record: await this.#keep(
          stage,
          files.flatMap(({ path }) => entries.get(path) ?? []),
          { storedAt: this.#nextTime(), isNewest: true },
        ),
      };
    } catch (error) {
      // A file that vanished or shrank while it was copied is a change, not an error.
      if (!isDiskFull(error) && !(await isUnchanged(root, files))) return { kind: 'changed' };
      throw error;
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  }

  async #reuse(stored: string, destination: string, entry: RevisionEntry): Promise<string> {
    if (entry.path.endsWith('/')) return '';
    try {
      await link(stored, destination);
    } catch {
      // The file system does not support hard links or has reached their limit, so the file is copied.
      await this.#reserve.use(entry.size, () => copyNewFile(stored, destination, entry.mode));
    }
    return entry.hash;
  }

  /**
   * Stores content whose hashes are known. Contents of the newest revision become hard links to its files. Other
   * contents are linked from `contentOf`. Everything is flushed to the disk before the record is written, so that a
   * crash leaves the earlier revisions unchanged.
   *
   * @throws StoredFileDamaged if a file has another size than its entry; errno errors
   */
  async add({ entries, contentOf, at, isNewest }: GivenContent): Promise<RevisionRecord> {
    const revision = revisionOf(entries);
    const isStored = this.#stored.has(revision);
    if (isStored && !isNewest) return this.record(revision);
    const latest = Math.max(0, ...this.summaries.map((one) => one.storedAt));
    const before = this.newest?.storedAt ?? Infinity;
    const storedAt = isNewest ? Math.max(at, latest + 1) : Math.min(at, before - 1);
    const stage = join(this.#folder, STAGE);
    await rm(stage, { recursive: true, force: true });
    try {
      if (!isStored) await this.#fillStage(stage, entries, contentOf);
      return await this.#keep(stage, entries, { storedAt, isNewest });
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  }

  async #fillStage(
    stage: string,
    entries: RevisionRecord['entries'],
    contentOf: GivenContent['contentOf'],
  ): Promise<void> {
    const { newest } = this;
    const known = new Map(
      newest?.entries.map(({ hash, path }) => [hash, join(this.pathOf(newest.revision), path)]),
    );
    await mkdir(stage, { mode: 0o700 });
    const folders = foldersOf(entries);
    for (const folder of folders) await mkdir(join(stage, folder), { recursive: true, mode: 0o700 });
    await forEachLimited(entries, PARALLEL_FILES, async (entry) => {
      const { path, hash } = entry;
      if (path.endsWith('/')) return;
      const stored = known.get(hash);
      const content = stored === undefined ? contentOf(hash) : { path: stored, inode: null, isFlushed: true };
      await takeIn(content, { entry, to: join(stage, path), reserve: this.#reserve });
    });
    for (const folder of ['', ...folders]) await syncFolder(join(stage, folder));
  }

  async #keep(
    stage: string,
    entries: RevisionRecord['entries'],
    { storedAt, isNewest }: { readonly storedAt: number; readonly isNewest: boolean },
  ): Promise<RevisionRecord> {
    const record = { revision: revisionOf(entries), storedAt, entries };
    const path = this.pathOf(record.revision);
    if (!this.#stored.has(record.revision)) {
      await rm(path, { recursive: true, force: true });
      await rename(stage, path);
      await syncFolder(this.#folder);
    }
    await writeRecord(this.#recordPath(record.revision), record);
    this.#stored.set(record.revision, summaryOf(record));
    if (isNewest) this.#newest = record;
    await this.#prune();
    return record;
  }

  /** Returns the current time (ms since epoch), or a time after all stored revisions if the clock was set back. */
  #nextTime(): number {
    return Math.max(Date.now(), (this.newest?.storedAt ?? 0) + 1);
  }

  async #prune(): Promise<void> {
    // The newest revision counts as in use, because its stored facts may not say yet that it is the newest one.
    const inUse = new Set([this.#newest?.revision, ...this.#reading.keys()]);
    const { toRemove = revisionsToRemove, onRemove } = this.#options;
    const isUsed = (revision: string): boolean => inUse.has(revision) || this.#options.isUsed(revision);
    for (const revision of toRemove(this.summaries, Date.now(), isUsed)) {
      this.#stored.delete(revision);
      await onRemove?.(revision);
      await rm(this.#recordPath(revision), { force: true });
      await rm(this.pathOf(revision), { recursive: true, force: true });
    }
  }

  /**
   * Copies a stored revision to a folder, and checks each file's size against the manifest. The folder must not
   * exist yet.
   *
   * @param asTheyWere whether to restore permission bits and modification times as well; a service does not need them
   * @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL. In that case `destination` does not exist
   */
  async materialize(revision: string, destination: string, asTheyWere = false): Promise<void> {
    const lease = await this.lease(revision);
    try {
      await mkdir(destination, { mode: 0o700 });
      await this.#fill(await this.record(revision), destination, asTheyWere);
    } finally {
      lease.release();
    }
  }

  /**
   * Opens a stored revision for reading. The revision is kept until the returned lease is released.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE if the revision is not stored; REVISION_NOT_FOUND if its record cannot
   *   be read
   */
  async lease(revision: string): Promise<StoredLease> {
    if (!this.#stored.has(revision)) throw this.#unreadable(`revision ${revision} is no longer stored`);
    this.#reading.set(revision, (this.#reading.get(revision) ?? 0) + 1);
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      const readers = (this.#reading.get(revision) ?? 1) - 1;
      if (readers > 0) this.#reading.set(revision, readers);
      else this.#reading.delete(revision);
    };
    try {
      const { entries } = await this.record(revision);
      return { entries, pathOf: (path) => join(this.pathOf(revision), path), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #fill(record: RevisionRecord, destination: string, asTheyWere: boolean): Promise<void> {
    const { revision, entries } = record;
    try {
      for (const folder of foldersOf(entries)) {
        await mkdir(join(destination, folder), { recursive: true, mode: asTheyWere ? 0o750 : 0o700 });
      }
      const files = entries.filter(({ path }) => !path.endsWith('/'));
      await forEachLimited(files, PARALLEL_FILES, (entry) => {
        const to = join(destination, entry.path);
        return copyOut(join(this.pathOf(revision), entry.path), entry, { to, asItWas: asTheyWere });
      });
    } catch (error) {
      await rm(destination, { recursive: true, force: true });
      if (isDiskFull(error)) throw new OverworldError('DISK_FULL', { path: destination }, error);
      throw this.#unreadable(`revision ${revision} cannot be copied: ${diskProblem(error)}`, error);
    }
  }

  #unreadable(why: string, cause?: unknown): OverworldError {
    return new OverworldError('TEMPLATE_UNREADABLE', { template: this.#options.template, why }, cause);
  }
}

function faultyRecord(path: string): OverworldError {
  return new OverworldError('DATA_FAULTY', { path, why: 'it is not the record of a save' });
}

function foldersOf(files: readonly { readonly path: string }[]): Set<string> {
  return new Set(files.map(({ path }) => (path.endsWith('/') ? path : dirname(path))));
}

async function isUnchanged(root: string, files: readonly SeenFile[]): Promise<boolean> {
  const now = await scanFolder(root, { isReal: true });
  if (now.kind === 'problem' || !isSameScan(files, now.files)) return false;
  return Math.abs(Date.now() - now.newestChangeMs) > STAMP_STEP_MS;
}
