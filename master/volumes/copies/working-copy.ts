import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { serviceOfVolume, type VolumeId } from '#shared/model/volume.ts';
import type { WriteLimit } from '#master/store/disk-reserve.ts';
import type { Serial } from '#master/store/serial.ts';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { CopyLimit } from './copy-limit.ts';
import type { CopyPlace } from './copy-place.ts';
import { flushTree, type KnownFiles } from './copied-files.ts';
import { InProgress } from './in-progress.ts';
import type { SaveStore } from '../save-store.ts';
import type { VolumeSurroundings } from '../surroundings.ts';
import { toVolumeError } from '../volume-error.ts';
import { Writers, type Hold } from './writers.ts';

/** Time without a change and without an open file, after which a working copy becomes a save (ms). */
const QUIET_MS = 10_000;

/** Delay before a failed save of a working copy is tried again (ms). */
const RETRY_MS = 60_000;

/** Time to wait after a copy (ms). A later change of a file then cannot get the same time stamp as the copy. */
const STAMP_STEP_MS = 50;

/** Name of a working copy that is being filled or removed, in a folder of its own. */
const COPY = 'copy';

interface WorkingCopyOptions {
  readonly id: VolumeId;
  readonly place: CopyPlace;
  readonly store: SaveStore;
  readonly around: VolumeSurroundings;
  /** Runs the changes of the volume one after the other. */
  readonly serial: Serial;
  /** Checks that the volume may be changed. @throws OverworldError VOLUME_IN_USE, VOLUME_NOT_FOUND, MASTER_ENDING */
  readonly requireFree: () => void;
  /**
   * Called after a save that no person requested. Gets the reason for a failure, as text for people, or null after a
   * success.
   */
  readonly noteProblem: (problem: string | null) => void;
}

/**
 * The tools for one change of a working copy. The change always ends, with or without success, before the copy
 * becomes a save.
 */
export interface CopyChange {
  /** Folder with the working copy. */
  readonly folder: string;
  /** Limit that each write to a file of the copy must respect. */
  readonly limit: WriteLimit;
  /** Records that the change has opened a file for writing. */
  readonly hold: () => Hold;
}

/**
 * A copy of the files of a volume for people to change (docs/adr/0057-writable-volumes.md). The first change creates
 * it from the newest save. It becomes the newest save after a time without changes, or before anything else uses the
 * volume.
 */
export class WorkingCopy {
  readonly #options: WorkingCopyOptions;
  readonly #writers = new Writers();
  readonly #reads = new InProgress();
  readonly #limit: CopyLimit;
  /** Names of the keys whose users have changed files of the copy. */
  readonly #actors = new Set<string>();
  #exists: boolean;
  /**
   * Whether a save may contain hard links to files of the copy, so that a change of the copy would change the save.
   * This is the case from the moment when the copy becomes a save until the copy is removed.
   */
  #mayShareFiles: boolean;
  /** Files that are unchanged since they were copied. Empty if an earlier master made the copy. */
  #known: KnownFiles = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Opens the working copy of a volume. If an earlier master has left a working copy, continues to use it. */
  constructor(options: WorkingCopyOptions) {
    const { id, place, around } = options;
    this.#options = options;
    this.#exists = place.hadCopy;
    this.#mayShareFiles = place.hadCopy;
    this.#limit = new CopyLimit({
      id,
      place,
      reserve: place.folders.reserve,
      claim: around.claims.begin(),
      quota: () => around.settings().quota,
    });
    if (this.#exists) this.#saveLater();
  }

  /** Whether there is a working copy, so that there may be changes that are not in a save yet. */
  get exists(): boolean {
    return this.#exists;
  }

  /**
   * Runs a change of the files. If there is no working copy, creates one from the newest save first.
   *
   * @param actor name of the key of the person
   * @throws OverworldError VOLUME_IN_USE, VOLUME_NOT_FOUND, VOLUME_UNREADABLE, DISK_FULL, MASTER_ENDING;
   * DiskReserveReached; errors of `work`
   */
  async change<T>(actor: string, work: (change: CopyChange) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#writers.stopped;
      if (this.#mayShareFiles) await this.#options.serial(() => this.#separate());
      if (!this.#exists) await this.#options.serial(() => this.#create());
      this.#options.requireFree();
      if (this.#exists && this.#writers.stopped === null) break;
    }
    this.#actors.add(actor);
    try {
      return await this.#writers.run(() =>
        work({ folder: this.#options.place.path, limit: this.#limit, hold: () => this.#hold() }),
      );
    } finally {
      this.#limit.changed();
      this.#saveLater();
    }
  }

  /**
   * Calls `work` to read the files of the working copy, which are not removed in the meantime.
   *
   * @param work must follow no link in the folder
   * @returns the result of `work`. Undefined if there is no working copy; the newest save then has all data
   * @throws OverworldError VOLUME_COPY_UNUSABLE; errors of `work`
   */
  async read<T>(work: (folder: string) => Promise<T>): Promise<T | undefined> {
    return this.#exists ? this.#reads.run(() => this.#options.place.use(work)) : undefined;
  }

  /**
   * Makes the working copy the newest save, if there is a working copy. Must run as a change of the volume
   * (`serial`). Files that are open for writing cannot be written to any more.
   *
   * @param why reason, as the second half of a sentence. It is part of the error of later writes
   * @param unlessOpen whether to change nothing and throw VOLUME_BEING_CHANGED if a file is open or a write is
   *   running
   * @throws OverworldError VOLUME_CHANGES_UNUSABLE, VOLUME_COPY_UNUSABLE, VOLUME_UNREADABLE, DISK_FULL,
   *   DISK_RESERVED. The working copy is kept then
   */
  async settle(why: string, unlessOpen = false): Promise<void> {
    if (!this.#exists) return;
    if (unlessOpen && !this.#writers.idle)
      throw new OverworldError('VOLUME_BEING_CHANGED', { volume: this.#options.id });
    const resume = await this.#stop(why);
    try {
      do await this.#save();
      while (await this.#remove());
      this.#options.noteProblem(null);
    } catch (error) {
      this.#saveLater(RETRY_MS);
      throw toVolumeError(error, this.#options.id, this.#options.place.path);
    } finally {
      resume();
    }
  }

  /**
   * Deletes the working copy, because its volume is deleted. Must run as a change of the volume (`serial`).
   *
   * @throws OverworldError VOLUME_COPY_UNUSABLE; errno errors
   */
  async discard(): Promise<void> {
    const resume = await this.#stop('the volume was deleted');
    try {
      let left = this.#exists;
      while (left) left = await this.#remove();
      clearTimeout(this.#timer);
    } finally {
      resume();
    }
  }

  /** Ends all changes. The working copy stays on disk, and the next master continues to use it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const what = `volume ${this.#options.id}`;
    const resume = await this.#writers.stop(new OverworldError('MASTER_ENDING', { what }));
    resume();
  }

  #hold(): Hold {
    const hold = this.#writers.hold();
    return {
      run: (work) => hold.run(work),
      release: () => {
        hold.release();
        this.#saveLater();
      },
    };
  }

  #stop(why: string): Promise<() => void> {
    return this.#writers.stop(new OverworldError('VOLUME_FILE_CLOSED', { volume: this.#options.id, why }));
  }

  /** Replaces the copy by one that shares no files with a save. Does nothing if that is not necessary. */
  async #separate(): Promise<void> {
    this.#options.requireFree();
    if (!this.#mayShareFiles) return;
    try {
      await this.settle('the master saves earlier changes first');
    } catch (error) {
      if (!hasCode(error, 'VOLUME_CHANGES_UNUSABLE')) throw error;
      // A copy with this error was never a save. It must be changed before it can become one.
      this.#mayShareFiles = false;
    }
  }

  async #create(): Promise<void> {
    const { place, store, requireFree } = this.#options;
    requireFree();
    if (this.#exists) return;
    const incoming = await place.folders.makeIncoming();
    try {
      const copy = join(incoming, COPY);
      const entries = await store.copyNewest(copy, place.folders.reserve);
      this.#known = await flushTree(copy, entries);
      await delay(STAMP_STEP_MS);
      await place.put(copy);
    } finally {
      await removeTree(incoming);
    }
    this.#actors.clear();
    this.#limit.reset();
    this.#exists = true;
    this.#options.around.changed();
  }

  async #save(): Promise<void> {
    const { id, place, store, around } = this.#options;
    const by = [...this.#actors].join(', ');
    const cause = by === '' ? 'changed over SFTP' : `changed over SFTP by ${by}`;
    const facts = { at: around.now(), consistent: null, cause, node: null, aside: false };
    const [newest, sharedFiles] = [store.newest, this.#mayShareFiles];
    this.#mayShareFiles = true;
    try {
      await place.use((folder) => store.keepFolder(folder, facts, { known: this.#known, isReal: true }));
    } catch (error) {
      // The call can also fail after it has stored the files, which the save then shares with the copy.
      if (store.newest === newest) this.#mayShareFiles = sharedFiles;
      if (!hasCode(error, 'IMPORT_UNUSABLE')) throw error;
      const { why } = error.details;
      throw new OverworldError(
        'VOLUME_CHANGES_UNUSABLE',
        { volume: id, why, service: serviceOfVolume(id) },
        error,
      );
    }
  }

  /**
   * Removes the copy in one step, so that a crash cannot leave a part of it.
   *
   * @returns whether a copy of an earlier version of the master has taken its place
   */
  async #remove(): Promise<boolean> {
    const { place, around } = this.#options;
    const gone = await place.folders.makeIncoming();
    this.#exists = false;
    try {
      await this.#reads.whenNone();
      await place.take(join(gone, COPY));
    } catch (error) {
      this.#exists = true;
      throw error;
    }
    this.#mayShareFiles = false;
    this.#known = new Map();
    this.#limit.reset();
    this.#exists = await place.find();
    around.changed();
    await removeTree(gone);
    return this.#exists;
  }

  #saveLater(ms = this.#options.around.quietMs ?? QUIET_MS): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || !this.#exists) return;
    this.#timer = setTimeout(() => {
      const { serial, requireFree, noteProblem } = this.#options;
      // A change in progress or an open file starts this timer again when it ends.
      if (!this.#writers.idle) return;
      void serial(async () => {
        if (!this.#exists || !this.#writers.idle) return;
        requireFree();
        await this.settle('nothing was written for a while');
      }).catch((error: unknown) => {
        noteProblem(toOverworldError(error).message);
        this.#saveLater(RETRY_MS);
      });
    }, ms);
    this.#timer.unref();
  }
}
