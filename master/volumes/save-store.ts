import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterConfig } from '#shared/config/master.ts';
import { hasCode, OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Save, VolumeId } from '#shared/model/volume.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import type { JsonFile } from '#master/store/json-file.ts';
import { StoredFileDamaged } from '#master/templates/revisions/copy-out.ts';
import { revisionOf } from '#master/templates/revisions/manifest.ts';
import { compareManifests, type RevisionChanges } from '#master/templates/revisions/revision-changes.ts';
import {
  readContents,
  type RevisionRecord,
  type RevisionSummary,
} from '#master/templates/revisions/revision-record.ts';
import {
  RevisionStore,
  type GivenContent,
  type StoredLease,
} from '#master/templates/revisions/revision-store.ts';
import type { FileContent } from '#master/templates/revisions/take-in.ts';
import { modifiedAtMs, scanFolder } from '#master/templates/revisions/scan-folder.ts';
import { FolderReplaced } from '#master/templates/pinned-folder.ts';
import { NoLongerFile, readContent, type KnownFiles } from './copies/copied-files.ts';
import { expired, linkedCopyBytes, requireShortPaths } from './save-rules.ts';
import { SavedSpace } from './saved-space.ts';
import { keptUntil, type SaveFacts, type VolumeFile } from './volume-file.ts';

/**
 * Maximum number of separate saves of one node's data. Further data stays on the node, because it is unknown which
 * version a person needs.
 */
const MAX_SEPARATE_SAVES = 3;

/** A save of a volume that is opened for reading. It is not removed until the lease is released. */
export interface SaveLease extends StoredLease {
  readonly save: string;
}

interface SaveStoreOptions {
  readonly id: VolumeId;
  /** Folder of the saves. */
  readonly folder: string;
  /** Document of the volume (`volume.json`), which contains the facts about its saves. */
  readonly file: JsonFile<VolumeFile>;
  readonly reserve: DiskReserve;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => MasterConfig['volumes'];
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
}

/** The content of a new save, with the facts about the save. */
export type NewSave = Pick<GivenContent, 'entries' | 'contentOf' | 'at'> & { readonly facts: SaveFacts };

interface KeepOptions {
  readonly known?: KnownFiles;
  readonly check?: CheckFiles;
  readonly isReal?: boolean;
}

/** Checks the files of a save before any of them is stored. Rejects if the save is not allowed. */
type CheckFiles = (files: RevisionRecord['entries']) => Promise<void>;

/**
 * The saves of one volume. They are stored in a revision store; facts that are not in its manifests are stored in the
 * volume's document. Callers must not make two changes at the same time.
 */
export class SaveStore {
  readonly #id: VolumeId;
  readonly #store: RevisionStore;
  readonly #file: JsonFile<VolumeFile>;
  readonly #now: () => number;
  readonly #reserve: DiskReserve;
  /** Facts about the save that is being stored, which the document does not have yet. */
  readonly #coming: Map<string, SaveFacts>;
  /** Space of the saves that were counted so far. */
  readonly #space: SavedSpace;
  /** Space that all saves take (bytes). Null if saves may have to be counted. */
  #storedBytes: Promise<number> | null = null;

  private constructor(
    { id, file, now, reserve }: SaveStoreOptions,
    store: RevisionStore,
    { coming, space }: { readonly coming: Map<string, SaveFacts>; readonly space: SavedSpace },
  ) {
    this.#id = id;
    this.#reserve = reserve;
    this.#file = file;
    this.#now = now;
    this.#store = store;
    this.#coming = coming;
    this.#space = space;
  }

  /**
   * Opens the saves in a folder, which is created if it does not exist.
   *
   * @throws OverworldError DATA_FAULTY if the record of a save cannot be read; errno errors
   */
  static async open(options: SaveStoreOptions): Promise<SaveStore> {
    const { id, folder, file, reserve, settings, now } = options;
    const coming = new Map<string, SaveFacts>();
    const space = new SavedSpace();
    const factsOf = (save: string): SaveFacts | undefined => coming.get(save) ?? file.data.saves[save];
    const isAside = (save: string): boolean => factsOf(save)?.aside === true;
    const atOf = (save: string): number | undefined => factsOf(save)?.at;
    const store = await RevisionStore.open({
      folder,
      reserve,
      template: id,
      isUsed: (save) => keptUntil(factsOf(save)) > now(),
      toRemove: (saves, _now, isUsed) => expired(saves, settings().retention, { isUsed, isAside, atOf }),
      // Separate data of a node is never used for a start unless a person restores it, even if there is no other
      // save.
      mayBeNewest: (save) => !isAside(save),
      keepsFaulty: true,
      onRemove: async (save) => {
        if (space.has(save)) space.remove(save, await readContents(join(folder, `${save}.json`)));
      },
    });
    return new SaveStore(options, store, { coming, space });
  }

  /** Id of the newest save; null if there is none. */
  get newest(): string | null {
    return this.#store.newest?.revision ?? null;
  }

  /** Hashes of the contents of the files in the newest save. */
  get newestHashes(): ReadonlySet<string> {
    return new Set(this.#store.newest?.entries.map(({ hash }) => hash));
  }

  /** The saves, newest first. */
  all(): Save[] {
    return this.#store.summaries.map((one) => this.#toSave(one));
  }

  /** Returns a save. @throws OverworldError SAVE_NOT_FOUND */
  get(save: string): Save {
    const summary = this.#store.summaries.find(({ revision }) => revision === save);
    if (summary === undefined) throw this.#notFound(save);
    return this.#toSave(summary);
  }

  /**
   * Returns the facts about a save. Returns default values if the facts were not stored, because the master crashed.
   */
  factsOf(save: string): SaveFacts {
    const at = this.#store.summaries.find(({ revision }) => revision === save)?.storedAt ?? 0;
    return (
      this.#file.data.saves[save] ?? { at, consistent: null, cause: 'unknown', node: null, aside: false }
    );
  }

  /**
   * Returns the space that the saves take on the disk (bytes). Contents that several saves share count once. Saves
   * whose manifests cannot be read count as 0.
   */
  storedBytes(): Promise<number> {
    this.#storedBytes ??= this.#countBytes();
    return this.#storedBytes;
  }

  async #countBytes(): Promise<number> {
    for (const { revision } of this.#store.summaries) {
      if (this.#space.has(revision)) continue;
      const contents = await readContents(`${this.#store.pathOf(revision)}.json`);
      // A damaged record of one save must not prevent the list of all volumes. It may be readable the next time.
      if (contents === null) continue;
      // The save may have been removed in the meantime.
      if (this.#store.summaries.some((one) => one.revision === revision)) this.#space.add(revision, contents);
    }
    return this.#space.bytes;
  }

  /** Compares two saves. @throws OverworldError SAVE_NOT_FOUND */
  async compare(from: string, to: string): Promise<RevisionChanges> {
    const [before, after] = [await this.record(from), await this.record(to)];
    return compareManifests(before.entries, after.entries);
  }

  /** Returns the manifest of a save. @throws OverworldError SAVE_NOT_FOUND, also if the manifest cannot be read */
  async record(save: string): Promise<RevisionRecord> {
    try {
      return await this.#store.record(save);
    } catch (error) {
      throw this.#notFound(save, error);
    }
  }

  /** Opens a save for reading. @throws OverworldError VOLUME_UNREADABLE */
  async lease(save: string): Promise<SaveLease> {
    try {
      return { save, ...(await this.#store.lease(save)) };
    } catch (error) {
      const why = toOverworldError(error).message;
      throw new OverworldError('VOLUME_UNREADABLE', { volume: this.#id, why }, error);
    }
  }

  /**
   * Checks that one more separate save of a node's data may be stored. The number is limited, because an attacker may
   * control the node and hand over different data again and again. Data that is already stored needs no further save.
   *
   * @param entriesOf returns the files of the new save. Called only if the node has reached the limit, because there
   *   may be very many files
   * @throws OverworldError SEPARATE_SAVES_LIMIT
   */
  requireSeparate(node: string, entriesOf: () => NewSave['entries']): void {
    const stored = this.#store.summaries.map((one) => one.revision);
    const ofNode = stored.filter((save) => {
      const facts = this.#file.data.saves[save];
      return facts?.node === node && facts.aside && keptUntil(facts) > this.#now();
    });
    if (ofNode.length < MAX_SEPARATE_SAVES || stored.includes(revisionOf(entriesOf()))) return;
    const limit = MAX_SEPARATE_SAVES;
    throw new OverworldError('SEPARATE_SAVES_LIMIT', { volume: this.#id, node, limit });
  }

  /**
   * Stores a save with its facts, as the newest save or, if `facts.aside`, as an earlier one. An earlier one is not
   * stored again if a stored save has the same content.
   *
   * @returns id of the save
   * @throws DiskReserveReached, errno errors; OverworldError DISK_FULL, SEPARATE_SAVES_LIMIT
   */
  async keep({ facts: given, ...content }: NewSave): Promise<string> {
    const revision = revisionOf(content.entries);
    // A separate save that a person restores, or whose content a service saves again, stays as long as before.
    const until = keptUntil(this.#file.data.saves[revision]);
    const facts = { ...given, keptUntil: until > this.#now() ? until : undefined };
    if (facts.aside) {
      // The data is already stored, so no further save is needed.
      if (this.#store.summaries.some((one) => one.revision === revision)) return revision;
      if (facts.node !== null) this.requireSeparate(facts.node, () => content.entries);
      // The facts are stored before the save. Otherwise, a crash in between would make this save the newest one.
      await this.#noteFacts(revision, facts);
    }
    this.#coming.set(revision, facts);
    try {
      await this.#store.add({ ...content, isNewest: !facts.aside });
      await this.#noteFacts(revision, facts);
    } finally {
      this.#coming.delete(revision);
    }
    return revision;
  }

  /**
   * Stores a save of this or another volume as the newest save of this volume, without copying its files.
   *
   * @throws OverworldError SAVE_NOT_FOUND, VOLUME_UNREADABLE, DISK_FULL; DiskReserveReached, errno errors; errors of
   *   `check`
   */
  async keepCopy(
    from: SaveStore,
    save: string,
    { at, cause, check }: { readonly at: number; readonly cause: string; readonly check?: CheckFiles },
  ): Promise<void> {
    const { entries } = await from.record(save);
    await check?.(entries);
    this.#reserve.requireEntry();
    const lease = await from.lease(save);
    try {
      const paths = new Map(entries.map(({ hash, path }) => [hash, lease.pathOf(path)]));
      const facts = { ...from.factsOf(save), cause, aside: false };
      const contentOf = (hash: string): FileContent => ({
        path: paths.get(hash) ?? '',
        inode: null,
        isFlushed: true,
      });
      await this.#reserve.use(linkedCopyBytes(entries), () => this.keep({ entries, contentOf, at, facts }));
    } finally {
      lease.release();
    }
  }

  /**
   * Copies the newest save to a new folder, with permission bits and modification times. If there is no save, the
   * folder is empty.
   *
   * @param reserve reserve of the disk with the folder
   * @returns the entries of the save that was copied
   * @throws OverworldError VOLUME_UNREADABLE, DISK_FULL; DiskReserveReached
   */
  async copyNewest(folder: string, reserve: DiskReserve): Promise<RevisionRecord['entries']> {
    const { newest } = this.#store;
    if (newest === null) {
      await mkdir(folder, { mode: 0o750 });
      return [];
    }
    const { revision, entries } = newest;
    try {
      const bytes = entries.reduce((sum, { size }) => sum + size, 0);
      await reserve.use(bytes, () => this.#store.materialize(revision, folder, true));
    } catch (error) {
      if (!hasCode(error, 'TEMPLATE_UNREADABLE')) throw error;
      throw new OverworldError('VOLUME_UNREADABLE', { volume: this.#id, why: error.details.why }, error);
    }
    return entries;
  }

  /**
   * Stores the content of a folder as the newest save. No other program may change the folder during the call. Its
   * files may become hard links. Does nothing if the newest save has the same content and times. Links out of the
   * folder are never followed, even if another program places them during the call.
   *
   * @param options.isReal whether `root` is a real path, so that no part of it may be a link
   * @param options.known files whose content is already known
   * @param options.check called with the files before any of them is stored
   * @returns id of the save
   * @throws OverworldError IMPORT_UNUSABLE, DISK_FULL; FolderReplaced, DiskReserveReached, errno errors; errors of
   *   `check`
   */
  async keepFolder(
    root: string,
    facts: SaveFacts,
    { known = new Map(), check, isReal = false }: KeepOptions = {},
  ): Promise<string> {
    const scan = await scanFolder(root, { isExact: isReal });
    if (scan.kind === 'problem') throw this.#unusable(scan.problem);
    requireShortPaths(scan.files, (why) => this.#unusable(why));
    const real = await realpath(root);
    if (isReal && real !== root) throw new FolderReplaced(`${root} was replaced by a link to ${real}`);
    try {
      const { entries, contentOf } = await readContent(real, scan.files, known);
      const { newest } = this.#store;
      if (newest !== null && isSame(newest.entries, entries)) return newest.revision;
      await check?.(entries);
      return await this.keep({ entries, contentOf, at: facts.at, facts });
    } catch (error) {
      if (error instanceof NoLongerFile || error instanceof StoredFileDamaged)
        throw this.#unusable(error.message);
      throw error;
    }
  }

  async #noteFacts(save: string, facts: SaveFacts): Promise<void> {
    this.#storedBytes = null;
    await this.#file.update((data) => {
      const kept = new Set([save, ...this.#store.summaries.map(({ revision }) => revision)]);
      const all = Object.entries({ ...data.saves, [save]: facts });
      return { ...data, saves: Object.fromEntries(all.filter(([id]) => kept.has(id))) };
    });
  }

  #toSave({ revision, files, bytes }: RevisionSummary): Save {
    const { at, consistent, cause, node } = this.factsOf(revision);
    return { save: revision, at, consistent, cause, node, files, bytes, current: revision === this.newest };
  }

  #unusable(why: string): OverworldError {
    return new OverworldError('IMPORT_UNUSABLE', { volume: this.#id, why });
  }

  #notFound(save: string, cause?: unknown): OverworldError {
    return new OverworldError('SAVE_NOT_FOUND', { volume: this.#id, save }, cause);
  }
}

/** Reports whether two manifests are equal, including the times. */
function isSame(a: RevisionRecord['entries'], b: RevisionRecord['entries']): boolean {
  return (
    revisionOf(a) === revisionOf(b) &&
    a.every(({ stamp }, at) => modifiedAtMs(stamp) === modifiedAtMs(b[at]?.stamp ?? ''))
  );
}

/** Returns the folder of a volume in which its saves are stored. */
export function savesFolder(volume: string): string {
  return join(volume, 'saves');
}
