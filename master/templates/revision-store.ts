import { link, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeDurably } from '#master/store/write-durably.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { copyNewFile, flushFile, hashFile } from './copy-file.ts';
import { diskProblem, isDiskFull } from './disk-problem.ts';
import { forEachLimited } from './limited.ts';
import { isSameScan, revisionOf, scanFolder, type ManifestEntry, type SeenFile } from './manifest.ts';
import { readRecord, type RevisionRecord } from './revision-record.ts';

/** So many stored revisions of a template stay: the newest, and the one before for what is just being prepared. */
const KEPT_REVISIONS = 2;
const PARALLEL_FILES = 4;
/** File systems stamp in steps of up to 10 ms; within this time after a change a second one may leave no trace. */
const STAMP_STEP_MS = 50;

export type Stored =
  | { readonly kind: 'stored'; readonly record: RevisionRecord }
  /** Somebody wrote to the folder meanwhile: nothing was stored, look again later. */
  | { readonly kind: 'changed' };

/**
 * The stored revisions of one template: `<folder>/<revision>/` with the files, `<folder>/<revision>.json` with its
 * record, written last: a revision without record is an unfinished one and is removed at the next opening.
 */
export class RevisionStore {
  readonly #folder: string;
  readonly #template: string;
  readonly #records = new Map<string, RevisionRecord>();
  readonly #reading = new Map<string, number>();

  private constructor(folder: string, template: string) {
    this.#folder = folder;
    this.#template = template;
  }

  static async open(folder: string, template: string): Promise<RevisionStore> {
    const store = new RevisionStore(folder, template);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const record = await readRecord(join(folder, name));
      if (record !== null && names.includes(record.revision)) store.#records.set(record.revision, record);
    }
    const kept = new Set([...store.#records.keys()].flatMap((revision) => [revision, `${revision}.json`]));
    for (const name of names)
      if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true });
    return store;
  }

  /** The revision stored last; null when there is none. */
  get newest(): RevisionRecord | null {
    return [...this.#records.values()].sort((a, b) => b.storedAt - a.storedAt)[0] ?? null;
  }

  /** Where the files of a stored revision lie. */
  pathOf(revision: string): string {
    return join(this.#folder, revision);
  }

  /**
   * Stores what a scan of the template's folder saw. Files that have not changed since the newest revision are
   * neither read nor copied again (they are the same inode there: nobody writes into stored revisions). The hash is
   * taken from the copy, so that manifest and stored content agree whatever happens to the source.
   */
  async store(root: string, files: readonly SeenFile[]): Promise<Stored> {
    const newest = this.newest;
    const known = new Map(newest?.entries.map((entry) => [entry.path, entry]));
    if (newest !== null && newest.entries.length === files.length) {
      if (files.every((file) => known.get(file.path)?.stamp === file.stamp))
        return { kind: 'stored', record: newest };
    }
    const stage = join(this.#folder, '.stage');
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
          : await copyAndHash(join(root, path), join(stage, path), file);
        entries.set(path, { path, size, mode, hash, stamp });
      });
      if (!(await isUnchanged(root, files))) return { kind: 'changed' };
      return {
        kind: 'stored',
        record: await this.#keep(
          stage,
          files.flatMap(({ path }) => entries.get(path) ?? []),
        ),
      };
    } catch (error) {
      // A file that vanished or was cut while it was copied is a change, not a fault.
      if (!isDiskFull(error) && !(await isUnchanged(root, files))) return { kind: 'changed' };
      throw error;
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  }

  async #reuse(stored: string, destination: string, entry: ManifestEntry): Promise<string> {
    if (entry.path.endsWith('/')) return '';
    try {
      await link(stored, destination);
    } catch {
      // No hard links on this file system, or too many: a copy does as well.
      await copyNewFile(stored, destination, entry.mode);
    }
    return entry.hash;
  }

  async #keep(stage: string, entries: RevisionRecord['entries']): Promise<RevisionRecord> {
    const record = { revision: revisionOf(entries), storedAt: this.#nextTime(), entries };
    const path = this.pathOf(record.revision);
    if (!this.#records.has(record.revision)) {
      await rm(path, { recursive: true, force: true });
      await rename(stage, path);
      await syncFolder(this.#folder);
    }
    await writeDurably(`${path}.json`, JSON.stringify(record));
    this.#records.set(record.revision, record);
    await this.#prune();
    return record;
  }

  /** Later than every stored one, even when the clock was set back. */
  #nextTime(): number {
    return Math.max(Date.now(), (this.newest?.storedAt ?? 0) + 1);
  }

  async #prune(): Promise<void> {
    const old = [...this.#records.values()]
      .sort((a, b) => b.storedAt - a.storedAt)
      .slice(KEPT_REVISIONS)
      .filter(({ revision }) => !this.#reading.has(revision));
    for (const { revision } of old) {
      this.#records.delete(revision);
      await rm(`${this.pathOf(revision)}.json`, { force: true });
      await rm(this.pathOf(revision), { recursive: true, force: true });
    }
  }

  /**
   * Copies a stored revision to a folder that must not exist, and compares each file's size with the manifest.
   *
   * @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL; then `destination` is gone again
   */
  async materialize(revision: string, destination: string): Promise<void> {
    const record = this.#records.get(revision);
    if (record === undefined) throw this.#unreadable(`revision ${revision} is not stored any more`);
    this.#reading.set(revision, (this.#reading.get(revision) ?? 0) + 1);
    await mkdir(destination, { mode: 0o700 });
    try {
      for (const folder of foldersOf(record.entries)) {
        await mkdir(join(destination, folder), { recursive: true, mode: 0o700 });
      }
      const files = record.entries.filter(({ path }) => !path.endsWith('/'));
      await forEachLimited(files, PARALLEL_FILES, async ({ path, size, mode }) => {
        await copyNewFile(join(this.pathOf(revision), path), join(destination, path), mode);
        const copied = await lstat(join(destination, path));
        if (copied.size !== size)
          throw this.#unreadable(`the stored copy of ${path} has ${copied.size} instead of ${size} bytes`);
      });
    } catch (error) {
      await rm(destination, { recursive: true, force: true });
      if (error instanceof OverworldError) throw error;
      if (isDiskFull(error)) throw new OverworldError('DISK_FULL', { path: destination }, error);
      throw this.#unreadable(`revision ${revision} cannot be copied: ${diskProblem(error)}`, error);
    } finally {
      const readers = (this.#reading.get(revision) ?? 1) - 1;
      if (readers > 0) this.#reading.set(revision, readers);
      else this.#reading.delete(revision);
    }
  }

  #unreadable(why: string, cause?: unknown): OverworldError {
    return new OverworldError('TEMPLATE_UNREADABLE', { template: this.#template, why }, cause);
  }
}

function foldersOf(files: readonly { readonly path: string }[]): Set<string> {
  return new Set(files.map(({ path }) => (path.endsWith('/') ? path : dirname(path))));
}

async function copyAndHash(source: string, destination: string, { path, mode }: SeenFile): Promise<string> {
  if (path.endsWith('/')) return '';
  await copyNewFile(source, destination, mode);
  const hash = await hashFile(destination);
  await flushFile(destination);
  return hash;
}

async function isUnchanged(root: string, files: readonly SeenFile[]): Promise<boolean> {
  const now = await scanFolder(root);
  if (now.kind === 'problem' || !isSameScan(files, now.files)) return false;
  return Math.abs(Date.now() - now.newestChangeMs) > STAMP_STEP_MS;
}
