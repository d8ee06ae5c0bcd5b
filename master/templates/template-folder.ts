import { basename, dirname } from 'node:path';
import { OverworldError, hasCode } from '#shared/errors/overworld-error.ts';
import { DiskReserveReached, type DiskReserve } from '#master/store/disk-reserve.ts';
import type { TemplateId, TemplateRevision } from '#shared/model/template.ts';
import { diskProblem, isDiskFull } from './disk-problem.ts';
import { describeContent, NO_CONTENT, readServerJar, unusable } from './folder-content.ts';
import { FolderQueue } from './folder-queue.ts';
import { isSameScan, scanFolder, type SeenFile } from './revisions/scan-folder.ts';
import { fillFolder, finishRestore, restoreFolder } from './revisions/restore.ts';
import { readRestoreNote, removeRestoreNote } from './revisions/restore-note.ts';
import { compareManifests, type RevisionChanges } from './revisions/revision-changes.ts';
import { RevisionStore } from './revisions/revision-store.ts';
import { replaceFiles } from './new-file.ts';
import { inFolder, removeInside, removeTree } from './pinned-folder.ts';
import type { FolderState, NewFile, RevisionLease, UsableContent } from './template-files.ts';

/**
 * Delay before a retry after an error that may disappear without intervention (ms), such as a full disk or missing
 * permissions of a mounted disk.
 */
const RETRY_MS = 10_000;

/** The part of a state that no services can be started from. */
const NO_REVISION = { ...NO_CONTENT, revision: null, jarHash: null };

export interface FolderPlace {
  readonly id: TemplateId;
  readonly path: string;
  readonly revisions: string;
  /** Time without changes after which the content is stored (ms). */
  readonly quietMs: number;
  /** Returns whether a service runs from the revision. Such a revision is kept. */
  readonly isUsed: (revision: string) => boolean;
  /** Reserve of the disk with the folder and its revisions. */
  readonly reserve: DiskReserve;
}

/**
 * Folder of one template. After files in the folder have changed, their new content is stored as a revision. At most
 * one scan runs at a time; a change during the scan causes another scan as soon as there have been no changes for a
 * short time.
 */
export class TemplateFolder {
  readonly #place: FolderPlace;
  readonly #changed: (id: TemplateId) => void;
  readonly #queue: FolderQueue;
  #state: FolderState = { ...NO_REVISION, changing: true, usable: null };
  #opening: Promise<RevisionStore> | null = null;
  #seen: readonly SeenFile[] = [];

  constructor(place: FolderPlace, changed: (id: TemplateId) => void) {
    this.#place = place;
    this.#changed = changed;
    this.#queue = new FolderQueue({ quietMs: place.quietMs, scan: () => this.#scan() });
    this.#queue.scanAfter(0);
  }

  get state(): FolderState {
    return this.#state;
  }

  /** Schedules a scan. Must be called after each change in the folder. */
  touch(): void {
    this.#show({ ...this.#state, changing: true });
    this.#queue.touch();
  }

  /**
   * Scans the folder, and calls {@link touch} if it has changed since the last scan. Used if the folder cannot be
   * watched.
   */
  async poll(): Promise<void> {
    if (this.#state.changing || this.#queue.closed) return;
    const scan = await scanFolder(this.#place.path, { isReal: true });
    const problem = scan.kind === 'problem' ? scan.problem : null;
    if (scan.kind === 'ok' ? !isSameScan(scan.files, this.#seen) : this.#state.problem !== problem)
      this.touch();
  }

  /** Copies a stored revision. @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL */
  async materialize(revision: string, destination: string): Promise<void> {
    const store = await this.#openStore();
    await store.materialize(revision, destination);
  }

  /** Opens a stored revision for reading. @throws OverworldError TEMPLATE_UNREADABLE */
  async lease(revision: string): Promise<RevisionLease> {
    const store = await this.#openStore();
    return store.lease(revision);
  }

  /** Lists the stored revisions, newest first. */
  async revisions(): Promise<TemplateRevision[]> {
    const store = await this.#openStore();
    return store.summaries.map(({ revision, storedAt, files, bytes }) => {
      return { revision, at: storedAt, files, bytes, current: revision === this.#state.revision };
    });
  }

  /** Compares two stored revisions. @throws OverworldError REVISION_NOT_FOUND */
  async compare(from: string, to: string): Promise<RevisionChanges> {
    const store = await this.#openStore();
    const [before, after] = [await store.record(from), await store.record(to)];
    return compareManifests(before.entries, after.entries);
  }

  /**
   * Restores a stored revision in the folder; the content before the call becomes an earlier revision.
   *
   * @throws OverworldError REVISION_NOT_FOUND, DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE (changes to the folder
   *   do not stop, or it contains something that cannot be stored)
   */
  async restore(revision: string): Promise<void> {
    const store = await this.#openStore();
    const target = await store.record(revision);
    const { path: root, revisions, reserve } = this.#place;
    // Meanwhile, changes of the folder can become a revision. The lease keeps this from replacing the restored one.
    const lease = await store.lease(revision);
    try {
      await this.#whenSettled(async () => {
        this.touch();
        const notBegun = await this.#notify(() => restoreFolder({ root, revisions, store, reserve }, target));
        if (notBegun?.kind === 'problem') throw this.#unreadable(notBegun.problem);
        return notBegun === null;
      });
    } finally {
      lease.release();
    }
  }

  /**
   * Writes files into the folder, over existing ones. Each appears with its whole content.
   *
   * @returns the revision with all changes before the call; null if services could not start from the folder
   * @throws OverworldError DISK_FULL, DISK_RESERVED, TEMPLATE_UNREADABLE
   */
  async put(files: readonly NewFile[]): Promise<string | null> {
    let before: string | null = null;
    const { path, reserve } = this.#place;
    const write = (folder: string): Promise<void> => replaceFiles(files, folder, reserve);
    await this.#whenSettled(async () => {
      before = this.#state.revision;
      this.touch();
      await this.#notify(() => inFolder(dirname(path), basename(path), write), 'a file could not be written');
      return true;
    });
    return before;
  }

  /**
   * Copies the current content, with permission bits and times, to an empty folder.
   *
   * @param destination real path of the folder; people may write to it
   * @throws OverworldError TEMPLATE_UNREADABLE, DISK_FULL, DISK_RESERVED
   */
  async copyTo(destination: string): Promise<void> {
    const store = await this.#openStore();
    await this.#whenSettled(async () => {
      const scan = await scanFolder(this.#place.path, { isReal: true });
      const { newest } = store;
      if (scan.kind === 'problem' || newest === null || !isSameScan(scan.files, newest.entries)) {
        this.touch();
        if (scan.kind === 'problem') throw this.#unreadable(scan.problem);
        return false;
      }
      const bytes = newest.entries.reduce((sum, { size }) => sum + size, 0);
      const copy = (): Promise<void> => fillFolder(destination, store, newest);
      await this.#notify(() => this.#place.reserve.use(bytes, copy), 'its files could not be copied');
      return true;
    });
  }

  /** Runs work, and converts errors of the file system to OverworldErrors. */
  async #notify<T>(work: () => Promise<T>, failed = 'it could not be restored'): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isDiskFull(error)) throw new OverworldError('DISK_FULL', { path: this.#place.path }, error);
      if (error instanceof DiskReserveReached) throw this.#reserved(error);
      throw this.#unreadable(`${failed}: ${diskProblem(error)}`, error);
    }
  }

  #reserved(error: DiskReserveReached): OverworldError {
    return new OverworldError('DISK_RESERVED', { path: this.#place.path, why: error.message }, error);
  }

  async #whenSettled(work: () => Promise<boolean>): Promise<void> {
    if (!(await this.#queue.whenSettled(work))) {
      throw this.#unreadable('its folder is still being written; try again afterwards');
    }
  }

  #unreadable(why: string, cause?: unknown): OverworldError {
    return new OverworldError('TEMPLATE_UNREADABLE', { template: this.#place.id, why }, cause);
  }

  /** Stops scanning. Resolves once the current job has finished. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  /** Stops scanning and deletes the folder and its stored revisions. */
  async remove(): Promise<void> {
    await this.close();
    const { path, revisions } = this.#place;
    await removeInside(dirname(path), basename(path));
    await removeTree(revisions);
  }

  async #scan(): Promise<void> {
    try {
      await this.#mend();
      const scan = await scanFolder(this.#place.path, { isReal: true });
      if (scan.kind === 'problem') {
        await this.#showProblem(unusable(scan.problem));
        return;
      }
      const store = await this.#openStore();
      const stored = await store.store(this.#place.path, scan.files);
      if (stored.kind === 'changed') {
        this.#queue.touch();
        return;
      }
      this.#seen = scan.files;
      const { revision, entries } = stored.record;
      const content = await describeContent(scan.files, store.pathOf(revision));
      const jarHash = entries.find(({ path }) => path === 'server.jar')?.hash ?? null;
      const changing = this.#queue.touched;
      if (content.problem !== null) await this.#showProblem({ ...content, jarHash, changing });
      else {
        const { jar, needsJava } = content;
        const usable = { revision, software: jar?.software ?? null, needsJava };
        this.#show({ ...content, revision, changing, jarHash, usable });
      }
    } catch (error) {
      const why = error instanceof DiskReserveReached ? `. ${error.message}` : `: ${diskProblem(error)}.`;
      const problem = `Its files cannot be stored as a revision${why}`;
      await this.#showProblem({ problem });
      this.#queue.scanAfter(RETRY_MS, true);
    }
  }

  /** Shows a state from which no services can be started. The content from which they could start before is kept. */
  async #showProblem(state: Partial<FolderState>): Promise<void> {
    const usable = this.#state.usable ?? (await this.#newestUsable().catch(() => null));
    this.#show({ ...NO_REVISION, changing: false, ...state, usable });
  }

  /**
   * Finds the newest stored revision whose `server.jar` is not damaged. Needed by a master that has just started. Null
   * if there is none.
   *
   * @throws errno errors
   */
  async #newestUsable(): Promise<UsableContent | null> {
    const store = await this.#openStore();
    for (const { revision } of store.summaries) {
      const { entries } = await store.record(revision);
      const { problem, ...facts } = await readServerJar(entries, store.pathOf(revision));
      if (problem === null) return { revision, ...facts };
    }
    return null;
  }

  /** Completes a restore that a crash or a full disk interrupted. Called before each scan of the folder. */
  async #mend(): Promise<void> {
    const { path: root, revisions } = this.#place;
    const revision = await readRestoreNote(revisions);
    if (revision === null) return;
    const store = await this.#openStore();
    try {
      await finishRestore({ root, revisions, store }, await store.record(revision));
    } catch (error) {
      // The revision was deleted by hand, so the current content is the only one left.
      if (!hasCode(error, 'REVISION_NOT_FOUND')) throw error;
      await removeRestoreNote(revisions);
    }
  }

  async #openStore(): Promise<RevisionStore> {
    const { id, revisions, isUsed, reserve } = this.#place;
    this.#opening ??= RevisionStore.open({ folder: revisions, template: id, isUsed, reserve });
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }

  #show(state: FolderState): void {
    if (this.#queue.closed || JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed(this.#place.id);
  }
}
