import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterConfig } from '#shared/config/master.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Save, VolumeId } from '#shared/model/volume.ts';
import {
  attachTo,
  isAttachedTo,
  lossMs,
  placeOfSave,
  type Attachment,
} from '#master/core/volumes/attachment.ts';
import { DiskReserveReached, type DiskReserve } from '#master/store/disk-reserve.ts';
import type { JsonFile } from '#master/store/json-file.ts';
import { serialQueue } from '#master/store/serial.ts';
import { diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';
import { compareManifests, type RevisionChanges } from '#master/templates/revisions/revision-changes.ts';
import type { RevisionRecord, RevisionSummary } from '#master/templates/revisions/revision-record.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';
import { expired, requireQuota, toEntry } from './save-rules.ts';
import type { TakeFiles, TakenFiles } from './taken-files.ts';
import { isKeptAside, openVolumeFile, type SaveFacts, type VolumeFile } from './volume-file.ts';

/** What a volume needs of its surroundings. */
export interface VolumeSurroundings {
  readonly reserve: DiskReserve;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => MasterConfig['volumes'];
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  /** Returns the space that all saves of all volumes take (bytes). */
  readonly totalBytes: () => Promise<number>;
  /** Called after each change. */
  readonly changed: () => void;
}

/** Who saves, and why. */
export interface SaveRequest {
  readonly service: string;
  readonly node: string;
  readonly cause: string;
}

/** The newest save of a volume, opened for reading. It is kept until the lease is released. */
export interface SaveLease extends RevisionLease {
  readonly save: string;
}

/** One volume: its attachment and its saves. Changes run one after the other, and are on the disk when they resolve. */
export class Volume {
  readonly id: VolumeId;
  readonly #folder: string;
  readonly #store: RevisionStore;
  readonly #file: JsonFile<VolumeFile>;
  readonly #around: VolumeSurroundings;
  /** Saves run one after the other, and each may take as long as its node. */
  readonly #saves = serialQueue();
  /**
   * Changes of what the next service starts from run one after the other. They are short: a service does not wait for the
   * save of a node that no longer answers.
   */
  readonly #changes = serialQueue();
  #saving = 0;
  #problem: string | null = null;
  #isRemoved = false;
  #storedBytes: number | null = null;

  private constructor(
    id: VolumeId,
    folder: string,
    parts: { readonly store: RevisionStore; readonly file: JsonFile<VolumeFile> },
    around: VolumeSurroundings,
  ) {
    this.id = id;
    this.#folder = folder;
    this.#store = parts.store;
    this.#file = parts.file;
    this.#around = around;
  }

  /**
   * Opens a volume, or creates it.
   *
   * @throws OverworldError DATA_FAULTY; errno errors
   */
  static async open(id: VolumeId, folder: string, around: VolumeSurroundings): Promise<Volume> {
    const file = await openVolumeFile(join(folder, 'volume.json'));
    const store = await RevisionStore.open({
      folder: join(folder, 'saves'),
      template: id,
      isUsed: (save) => isKeptAside(file.data.saves[save], around.now()),
      reserve: around.reserve,
      toRemove: (saves, _now, isUsed) => expired(saves, around.settings().retention, isUsed),
    });
    return new Volume(id, folder, { store, file }, around);
  }

  /** The only writer; null if the newest save has everything. */
  get attachment(): Attachment | null {
    return this.#file.data.attachment;
  }

  /** Node on which the service last ran; null if unknown. */
  get lastNode(): string | null {
    return this.#file.data.lastNode;
  }

  /** Reports whether a node may have data of the volume, because its service was started there. */
  mayBeOn(node: string): boolean {
    const { attachment, lastNode, saves } = this.#file.data;
    return (
      attachment?.node === node || lastNode === node || Object.values(saves).some((one) => one.node === node)
    );
  }

  get hasSaves(): boolean {
    return this.#store.newest !== null;
  }

  /** Whether a save is being made. */
  get saving(): boolean {
    return this.#saving > 0;
  }

  /** Why the last save failed, for people; null if it did not. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Shows why a save of a node failed, for people, as long as the volume is attached to that node.
   *
   * @returns whether this is new
   */
  noteProblem({ service, node }: SaveRequest, problem: string): boolean {
    if (this.#problem === problem || !isAttachedTo(this.attachment, service, node)) return false;
    this.#problem = problem;
    this.#around.changed();
    return true;
  }

  /** The saves, newest first. The first one is that from which the next service starts. */
  saves(): Save[] {
    const newest = this.#store.newest?.revision ?? null;
    return this.#store.summaries.map((one) => this.#toSave(one, newest));
  }

  /** Returns the space that the saves take on the disk (bytes). Contents that several saves share count once. */
  async storedBytes(): Promise<number> {
    if (this.#storedBytes !== null) return this.#storedBytes;
    const sizes = new Map<string, number>();
    for (const { revision } of this.#store.summaries) {
      const { entries } = await this.#store.record(revision);
      for (const { hash, size } of entries) sizes.set(hash, size);
    }
    this.#storedBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    return this.#storedBytes;
  }

  /** Compares two saves. @throws OverworldError SAVE_NOT_FOUND */
  async compare(from: string, to: string): Promise<RevisionChanges> {
    const [before, after] = [await this.record(from), await this.record(to)];
    return compareManifests(before.entries, after.entries);
  }

  /** Returns the manifest of a save. @throws OverworldError SAVE_NOT_FOUND */
  async record(save: string): Promise<RevisionRecord> {
    try {
      return await this.#store.record(save);
    } catch (error) {
      throw new OverworldError('SAVE_NOT_FOUND', { volume: this.id, save }, error);
    }
  }

  /** Returns the folder with the files of a save. Nothing in it may be changed. */
  pathOf(save: string): string {
    return this.#store.pathOf(save);
  }

  /**
   * Opens a save for reading, by default the newest one.
   *
   * @returns null if there is no save
   * @throws OverworldError VOLUME_UNREADABLE
   */
  async lease(save = this.#store.newest?.revision): Promise<SaveLease | null> {
    if (save === undefined) return null;
    try {
      return { save, ...(await this.#store.lease(save)) };
    } catch (error) {
      const why = toOverworldError(error).message;
      throw new OverworldError('VOLUME_UNREADABLE', { volume: this.id, why }, error);
    }
  }

  /**
   * Attaches the volume to its service on a node. Nothing may happen on the node before this has resolved.
   *
   * @throws OverworldError VOLUME_IN_USE if it is attached to another node; DISK_FULL
   */
  attach(service: string, node: string): Promise<void> {
    return this.#changes(async () => {
      if (this.#isRemoved) throw new OverworldError('VOLUME_NOT_FOUND', { volume: this.id });
      await this.#update((data) => {
        const attaching = attachTo(data.attachment, { service, node, now: this.#around.now() });
        if (attaching.kind === 'refused') throw this.#inUse(attaching.by);
        if (attaching.attachment === data.attachment && data.lastNode === node) return data;
        return { ...data, attachment: attaching.attachment, lastNode: node };
      });
    });
  }

  /** Records that the service's process is about to be started, so that there may be data to save from now on. */
  async markStarted(service: string, node: string): Promise<void> {
    await this.#change(service, node, (attachment) => ({ ...attachment, started: true }));
  }

  /** Records that an admin accepts the loss of data that cannot be saved. */
  async acceptLoss(): Promise<void> {
    const { attachment } = this;
    if (attachment === null) return;
    await this.#change(attachment.service, attachment.node, (one) => ({ ...one, lossAccepted: true }));
  }

  /**
   * Detaches the volume from a node on which nothing is left to save. Does nothing if it is not attached to that node.
   *
   * @returns for how long data may be lost at most (ms); null if nothing is lost or it was not attached there
   */
  async detach(service: string, node: string): Promise<number | null> {
    const { attachment } = this;
    if (attachment === null || !isAttachedTo(attachment, service, node)) return null;
    await this.#change(service, node, () => null);
    this.#problem = null;
    return lossMs(attachment, this.#around.now());
  }

  /**
   * Makes a save of the files that `take` collects. If the volume is attached to the node, it becomes the newest save;
   * otherwise it is stored as an earlier one.
   *
   * @returns the save; null if there is nothing to save
   * @throws OverworldError VOLUME_QUOTA, DISK_RESERVED, DISK_FULL, and what `take` throws. The saves are unchanged then
   */
  save(request: SaveRequest, take: TakeFiles): Promise<Save | null> {
    return this.#saves(async () => {
      this.#saving += 1;
      this.#around.changed();
      try {
        const save = await this.#save(request, take);
        this.#problem = null;
        return save;
      } catch (error) {
        throw this.#toError(error);
      } finally {
        this.#saving -= 1;
        this.#around.changed();
      }
    });
  }

  /**
   * Makes an earlier save the newest one. The others stay.
   *
   * @throws OverworldError VOLUME_IN_USE, SAVE_NOT_FOUND, DISK_FULL
   */
  async restore(save: string, cause: string): Promise<void> {
    await this.#changes(async () => {
      this.requireFree();
      const { entries } = await this.record(save);
      const facts = { ...this.#factsOf(save), cause, aside: false };
      await this.#keep({ entries, contentOf: () => '', facts, isNewest: true });
    });
  }

  /**
   * Stores a save of another volume as the newest one of this volume.
   *
   * @throws OverworldError VOLUME_IN_USE, VOLUME_EXISTS, DISK_FULL
   */
  async copyFrom(other: Volume, save: string, cause: string): Promise<void> {
    await this.#changes(async () => {
      this.requireFree();
      if (this.hasSaves) throw new OverworldError('VOLUME_EXISTS', { volume: this.id });
      const lease = await other.lease(save);
      if (lease === null) throw new OverworldError('SAVE_NOT_FOUND', { volume: other.id, save });
      try {
        const { entries } = await other.record(save);
        const paths = new Map(entries.map(({ hash, path }) => [hash, lease.pathOf(path)]));
        const facts = { ...other.#factsOf(save), cause, aside: false };
        await this.#keep({ entries, contentOf: (hash) => paths.get(hash) ?? '', facts, isNewest: true });
      } finally {
        lease.release();
      }
    });
  }

  /** Deletes the volume. @throws OverworldError VOLUME_IN_USE */
  async remove(): Promise<void> {
    await this.#changes(async () => {
      this.requireFree();
      await rm(this.#folder, { recursive: true, force: true });
      this.#isRemoved = true;
    });
  }

  /** @throws OverworldError VOLUME_IN_USE if the volume is attached */
  requireFree(): void {
    if (this.attachment !== null) throw this.#inUse(this.attachment);
  }

  async #save({ service, node, cause }: SaveRequest, take: TakeFiles): Promise<Save | null> {
    const folder = join(this.#folder, 'incoming');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const known = new Set(this.#store.newest?.entries.map(({ hash }) => hash));
      const taken = await take({
        folder,
        isKnown: (hash) => known.has(hash),
        use: (bytes, work) => this.#around.reserve.use(bytes, work),
      });
      if (taken === null) return null;
      await requireQuota(this.id, taken.files, {
        isKnown: (hash) => known.has(hash),
        quota: this.#around.settings().quota,
        totalBytes: this.#around.totalBytes,
      });
      const revision = await this.#changes(() => this.#keepTaken(taken, folder, { service, node, cause }));
      const summary = this.#store.summaries.find((one) => one.revision === revision);
      return summary === undefined ? null : this.#toSave(summary, this.#store.newest?.revision ?? null);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #keepTaken(
    { files, at, consistent }: TakenFiles,
    folder: string,
    { service, node, cause }: SaveRequest,
  ): Promise<string> {
    if (this.#isRemoved) throw new OverworldError('VOLUME_NOT_FOUND', { volume: this.id });
    // The volume may have been given to another node while the files were collected.
    const isNewest = placeOfSave(this.attachment, service, node) === 'newest';
    return this.#keep({
      entries: files.map(toEntry).sort((a, b) => (a.path < b.path ? -1 : 1)),
      contentOf: (hash) => join(folder, hash),
      facts: { at, consistent, cause, node, aside: !isNewest },
      isNewest,
      service,
    });
  }

  async #keep({
    entries,
    contentOf,
    facts,
    isNewest,
    service,
  }: {
    readonly entries: RevisionRecord['entries'];
    readonly contentOf: (hash: string) => string;
    readonly facts: SaveFacts;
    readonly isNewest: boolean;
    readonly service?: string;
  }): Promise<string> {
    const at = service === undefined ? this.#around.now() : facts.at;
    const { revision } = await this.#store.add({ entries, contentOf, at, isNewest });
    this.#storedBytes = null;
    await this.#update((data) => {
      const stored = new Set(this.#store.summaries.map((one) => one.revision));
      const saves = Object.fromEntries(
        Object.entries({ ...data.saves, [revision]: facts }).filter(([save]) => stored.has(save)),
      );
      const { attachment } = data;
      const isOfWriter =
        service !== undefined &&
        isNewest &&
        facts.node !== null &&
        isAttachedTo(attachment, service, facts.node);
      return {
        ...data,
        saves,
        attachment: isOfWriter && attachment !== null ? { ...attachment, savedAt: facts.at } : attachment,
      };
    });
    return revision;
  }

  async #change(
    service: string,
    node: string,
    change: (attachment: Attachment) => Attachment | null,
  ): Promise<void> {
    await this.#update((data) => {
      const { attachment } = data;
      if (attachment === null || !isAttachedTo(attachment, service, node)) return data;
      return { ...data, attachment: change(attachment) };
    });
  }

  async #update(change: (data: VolumeFile) => VolumeFile): Promise<void> {
    await this.#file.update((data) => change(data));
    this.#around.changed();
  }

  #factsOf(save: string): SaveFacts {
    const at = this.#store.summaries.find(({ revision }) => revision === save)?.storedAt ?? 0;
    return (
      this.#file.data.saves[save] ?? { at, consistent: null, cause: 'unknown', node: null, aside: false }
    );
  }

  #toSave({ revision, files, bytes }: RevisionSummary, newest: string | null): Save {
    const { at, consistent, cause, node } = this.#factsOf(revision);
    return { save: revision, at, consistent, cause, node, files, bytes, current: revision === newest };
  }

  #inUse({ service, node }: Attachment): OverworldError {
    return new OverworldError('VOLUME_IN_USE', { volume: this.id, service, node });
  }

  #toError(error: unknown): OverworldError {
    if (error instanceof OverworldError) return toOverworldError(error);
    const path = this.#folder;
    if (error instanceof DiskReserveReached)
      return new OverworldError('DISK_RESERVED', { path, why: error.message }, error);
    if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
    return new OverworldError('VOLUME_UNREADABLE', { volume: this.id, why: diskProblem(error) }, error);
  }
}
