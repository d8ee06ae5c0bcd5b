import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Save, VolumeId } from '#shared/model/volume.ts';
import { isAttachedTo, lossMs, placeOfSave, type Attachment } from '#master/core/volumes/attachment.ts';
import { serialQueue, serialQueues } from '#master/store/serial.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { RevisionChanges } from '#master/templates/revisions/revision-changes.ts';
import { CopyPlace } from './copies/copy-place.ts';
import { linkKnown } from './known-contents.ts';
import { IncomingSave, removeIncoming } from './incoming.ts';
import { LastFailure } from './last-failure.ts';
import { withQuota, type RequireQuota } from './quota.ts';
import { hideFolder } from './removed-folders.ts';
import { requireShortPaths, toEntries } from './save-rules.ts';
import { SaveStore, savesFolder, type SaveLease } from './save-store.ts';
import type { FailedSave, SaveRequest, VolumeSurroundings } from './surroundings.ts';
import type { SaveEnded, TakeFiles, TakenFiles } from './taken-files.ts';
import { VolumeAttachment } from './volume-attachment.ts';
import { inUse, toVolumeError } from './volume-error.ts';
import { openVolumeFile } from './volume-file.ts';
import { WorkingCopy } from './copies/working-copy.ts';

interface VolumeParts {
  readonly folder: string;
  readonly store: SaveStore;
  readonly place: CopyPlace;
  readonly attachment: VolumeAttachment;
}

/**
 * One volume: its attachment and its saves. Changes run one after the other. When a change resolves, it is on disk.
 */
export class Volume {
  readonly id: VolumeId;
  /** A copy of the files for people to change. It exists only while no service uses the volume. */
  readonly workingCopy: WorkingCopy;
  /** Why its last saves failed, and when they are tried again. */
  readonly failure: LastFailure;
  readonly #folder: string;
  readonly #store: SaveStore;
  readonly #attachment: VolumeAttachment;
  readonly #around: VolumeSurroundings;
  /** Saves of the same node run one after the other, but do not wait for other nodes, which may never answer. */
  readonly #saves = serialQueues();
  /** Changes of the save from which the service starts next, one after the other. They wait for no save. */
  readonly #changes = serialQueue();
  #saving = 0;
  #isRemoved = false;
  #isClosed = false;

  private constructor(id: VolumeId, parts: VolumeParts, around: VolumeSurroundings) {
    this.id = id;
    this.#folder = parts.folder;
    this.#store = parts.store;
    this.#attachment = parts.attachment;
    this.#around = around;
    this.failure = new LastFailure(around, parts.attachment.current !== null);
    this.workingCopy = new WorkingCopy({
      id,
      store: parts.store,
      place: parts.place,
      around,
      serial: this.#changes,
      requireFree: () => this.#requireFree(),
      noteProblem: (problem) => this.failure.show(problem),
    });
  }

  /** Opens a volume, or creates it. @throws OverworldError DATA_FAULTY, VOLUME_COPY_UNUSABLE; errno errors */
  static async open(id: VolumeId, folder: string, around: VolumeSurroundings): Promise<Volume> {
    await removeIncoming(folder);
    const file = await openVolumeFile(join(folder, 'volume.json'));
    const { reserve, settings, now } = around;
    const store = await SaveStore.open({ id, folder: savesFolder(folder), file, reserve, settings, now });
    const place = await CopyPlace.open(id, folder, around.copies);
    const attachment = new VolumeAttachment(id, file, around);
    return new Volume(id, { folder, store, place, attachment }, around);
  }

  /** Service and node that may write the volume. Null if the newest save contains all data. */
  get attachment(): Attachment | null {
    return this.#attachment.current;
  }

  /** Node on which the service last ran; null if unknown. */
  get lastNode(): string | null {
    return this.#attachment.lastNode;
  }

  /** Whether there is a save from which a service can start. */
  get hasSaves(): boolean {
    return this.#store.newest !== null;
  }

  /** Whether a save is being made. */
  get saving(): boolean {
    return this.#saving > 0;
  }

  /** Why the last save failed, as text for people. Null if it did not fail. */
  get problem(): string | null {
    return this.failure.problem;
  }

  /** Reports whether a node may have data: the service was placed there, or a save contains data from there. */
  mayBeOn(node: string): boolean {
    return this.#attachment.mayBeOn(node);
  }

  /**
   * Records why a save of a node's data failed. If the service has exited, {@link LastFailure.recentOn} delays the
   * next attempt. If the volume is attached to that node, {@link problem} states the reason. Writes nothing to disk.
   *
   * @returns whether {@link problem} has changed
   */
  noteProblem({ service, node, exited }: FailedSave, failure: OverworldError): boolean {
    if (exited) this.failure.note(node, failure);
    if (this.problem === failure.message || !isAttachedTo(this.attachment, service, node)) return false;
    this.failure.show(failure.message);
    return true;
  }

  /** The saves, newest first. The next service starts from the one that is `current`. */
  saves(): Save[] {
    return this.#store.all();
  }

  /** Returns the space that the saves take on the disk (bytes); see {@link SaveStore.storedBytes}. */
  storedBytes(): Promise<number> {
    return this.#store.storedBytes();
  }

  /** Compares two saves. @throws OverworldError SAVE_NOT_FOUND */
  compare(from: string, to: string): Promise<RevisionChanges> {
    return this.#store.compare(from, to);
  }

  /**
   * Stores changes that people have made over SFTP as the newest save. Does nothing if there are no changes.
   *
   * @param why reason, as the second half of a sentence. It is sent to clients that are still writing
   * @param unlessOpen whether to change nothing and throw VOLUME_BEING_CHANGED if a client is still writing
   * @throws OverworldError VOLUME_CHANGES_UNUSABLE, DISK_FULL, DISK_RESERVED, VOLUME_UNREADABLE
   */
  async settle(why: string, unlessOpen = false): Promise<void> {
    await this.#changes(() => this.#settle(why, unlessOpen));
  }

  /**
   * Opens a save for reading.
   *
   * @param save by default, the newest one
   * @returns null if there is no save
   * @throws OverworldError VOLUME_UNREADABLE
   */
  async lease(save?: string): Promise<SaveLease | null> {
    const chosen = save ?? this.#store.newest;
    return chosen === null ? null : this.#store.lease(chosen);
  }

  /**
   * Attaches the volume to its service on a node. Nothing may be done on the node before the call has resolved.
   * Changes that people made over SFTP become a save first.
   *
   * @param isStarted whether the service's process has already been started there
   * @throws OverworldError VOLUME_IN_USE if it is attached to another node; VOLUME_NOT_FOUND if it was deleted in the
   * meantime; DISK_FULL; as {@link settle}
   */
  attach(service: string, node: string, isStarted = false): Promise<void> {
    return this.#changes(async () => {
      this.#requireExistence();
      if (this.attachment === null) await this.#settle(`${service} starts`);
      await this.#attachment.attach(service, node, isStarted);
    });
  }

  /**
   * Moves the attachment to the node on which the service's process runs. Call it only if the earlier node verifiably
   * has neither process nor files of the service (`checkAttachment` in master/core/volumes).
   *
   * @param to.paused whether the process may have been asked to stop writing its worlds
   */
  async move(from: string, to: Pick<Attachment, 'node' | 'paused'>): Promise<void> {
    await this.#attachment.move(from, to);
    this.failure.problem = null;
  }

  /** Stores that the service's process is about to be started. From now on, there may be data to save. */
  markStarted(service: string, node: string): Promise<void> {
    return this.#attachment.change(service, node, (one) => ({ ...one, started: true }));
  }

  /** Stores whether the running server may have stopped writing its worlds because the master requested it. */
  notePaused(service: string, node: string, paused: boolean): Promise<void> {
    return this.#attachment.notePaused(service, node, paused);
  }

  /** Stores that an admin accepts the loss of data if the next save fails. This save begins at once. */
  acceptLoss(): Promise<void> {
    this.failure.endDelays();
    return this.#attachment.acceptLoss();
  }

  /**
   * Detaches the volume from a node. Data of the node is not saved afterwards. Does nothing if the volume is not
   * attached to that node.
   *
   * @returns time since the last save of this node's data, or since the volume was attached (ms); changes of this
   * time may be lost. Null if the volume was not attached to the node, or the service was not started there
   */
  async detach(service: string, node: string): Promise<number | null> {
    const { attachment } = this;
    if (attachment === null || !isAttachedTo(attachment, service, node)) return null;
    await this.#attachment.change(service, node, () => null);
    this.failure.clear();
    return lossMs(attachment, this.#around.now());
  }

  /**
   * Makes a save of the files that `take` collects. If the volume is attached to the node, this is the newest save.
   * Otherwise, it is stored as an earlier one.
   *
   * @param ended called after the attempt, before the next save of the same node begins. It must not throw
   * @returns the save; null if there is nothing to save
   * @throws OverworldError VOLUME_QUOTA, SEPARATE_SAVES_LIMIT, DISK_RESERVED, DISK_FULL, VOLUME_UNREADABLE;
   * VOLUME_NOT_FOUND if it was deleted; MASTER_ENDING after {@link close}; errors of `take`. The saves are unchanged then
   */
  save(request: SaveRequest, take: TakeFiles, ended?: SaveEnded): Promise<Save | null> {
    return this.#saves(request.node)(async () => {
      this.#saving += 1;
      this.#around.changed();
      try {
        const save = await this.#withQuota((check) => this.#save(request, take, check));
        if (save !== null) await ended?.({ stored: true });
        return save;
      } catch (error) {
        await ended?.({ stored: false });
        throw toVolumeError(error, this.id, this.#folder);
      } finally {
        this.#saving -= 1;
        this.#around.changed();
      }
    });
  }

  /**
   * Makes an earlier save the newest one. The other saves are kept.
   *
   * @throws OverworldError VOLUME_IN_USE, SAVE_NOT_FOUND, DISK_FULL, DISK_RESERVED
   */
  async restore(save: string, cause: string): Promise<void> {
    await this.#changeFree(async () => {
      await this.#store.record(save);
      // The lease keeps the retention from removing this save when the changes of people become a save.
      const lease = await this.#store.lease(save);
      try {
        await this.#settle('another save was restored');
        await this.#store.keepCopy(this.#store, save, { at: this.#around.now(), cause });
      } finally {
        lease.release();
      }
    });
  }

  /**
   * Stores a save of another volume as the newest save of this volume, without copying its files.
   *
   * @param save id of the save; default: the newest save of the other volume
   * @throws OverworldError VOLUME_IN_USE, VOLUME_EXISTS, SAVE_NOT_FOUND, VOLUME_QUOTA, DISK_FULL, DISK_RESERVED
   */
  async copyFrom(other: Volume, save: string | undefined, cause: string): Promise<void> {
    if (save === undefined) await other.settle('the volume was cloned');
    const from = other.#store;
    const chosen = from.get(save ?? from.newest ?? 'newest').save;
    await this.#changeFree(async () => {
      if (this.hasSaves || this.workingCopy.exists)
        throw new OverworldError('VOLUME_EXISTS', { volume: this.id });
      const at = this.#around.now();
      await this.#withQuota((check) => this.#store.keepCopy(from, chosen, { at, cause, check }));
    });
  }

  /**
   * Stores the content of a folder as the newest save.
   *
   * @throws OverworldError VOLUME_IN_USE, IMPORT_UNUSABLE, VOLUME_QUOTA, DISK_FULL, DISK_RESERVED
   */
  async copyFromFolder(folder: string, cause: string): Promise<Save> {
    const facts = { at: this.#around.now(), consistent: null, cause, node: null, aside: false };
    const save = await this.#changeFree(async () => {
      await this.#settle('a world was imported');
      return this.#withQuota((check) => this.#store.keepFolder(folder, facts, { check }));
    });
    return this.#store.get(save);
  }

  /** Deletes the volume. @returns folder with its files, to be removed. @throws OverworldError VOLUME_IN_USE */
  async remove(): Promise<string> {
    return this.#changeFree(async () => {
      await this.workingCopy.discard();
      const hidden = await hideFolder(this.#folder);
      this.#isRemoved = true;
      return hidden;
    });
  }

  /** Stores no more saves, because another master may use the folder. Resolves after the change in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.workingCopy.close();
    await this.#changes(() => Promise.resolve());
  }

  /** Runs a change while no service uses the volume. @throws OverworldError VOLUME_IN_USE; errors of `work` */
  async #changeFree<T>(work: () => Promise<T>): Promise<T> {
    return this.#changes(async () => {
      this.#requireFree();
      try {
        return await work();
      } catch (error) {
        throw toVolumeError(error, this.id, this.#folder);
      } finally {
        this.#around.changed();
      }
    });
  }

  async #save(request: SaveRequest, take: TakeFiles, requireQuota: RequireQuota): Promise<Save | null> {
    const incoming = await IncomingSave.begin(this.#folder, () => this.lease());
    try {
      const { folder, service, node, volume } = { ...request, folder: incoming.folder, volume: this.id };
      const missing = async (files: readonly PersistentFile[]): Promise<readonly PersistentFile[]> => {
        const unknown = incoming.missing(files);
        return incoming.isFirst ? linkKnown(unknown, folder, this.#around.storedFilesOf(volume)) : unknown;
      };
      const requireAllowed = async (files: readonly PersistentFile[]): Promise<void> => {
        requireShortPaths(files, (why) => new OverworldError('VOLUME_SAVE_FAILED', { volume, node, why }));
        if (placeOfSave(this.attachment, service, node) === 'aside')
          this.#store.requireSeparate(node, () => toEntries(files));
        await requireQuota(files);
      };
      const use: VolumeSurroundings['reserve']['use'] = (bytes, work) =>
        this.#around.reserve.use(bytes, work);
      const taken = await take({ folder, missing, requireAllowed, use });
      if (taken === null) return null;
      // The quotas are checked again, because other volumes may have been saved during the transfer.
      await requireAllowed(taken.files);
      const save = await this.#changes(() => this.#keepTaken(taken, incoming, request));
      return this.#store.get(save);
    } finally {
      await incoming.end();
    }
  }

  #withQuota<T>(work: (requireQuota: RequireQuota) => Promise<T>): Promise<T> {
    return withQuota({ ...this.#around, volume: this.id, known: () => this.#store.newestHashes }, work);
  }

  async #keepTaken(
    { files, at, consistent }: TakenFiles,
    incoming: IncomingSave,
    { service, node, cause }: SaveRequest,
  ): Promise<string> {
    this.#requireOpen();
    this.#requireExistence();
    const entries = toEntries(files);
    // The volume may have been attached to another node while the files were collected.
    const aside = placeOfSave(this.attachment, service, node) === 'aside';
    const facts = { at, consistent, cause, node, aside };
    incoming.release(this.#store.newest);
    const contentOf = incoming.contentOf.bind(incoming);
    const save = await this.#store.keep({ entries, contentOf, at, facts });
    this.failure.forget(node);
    if (aside) return save;
    // The save has succeeded, so the acceptance of a loss no longer applies.
    await this.#attachment.change(service, node, (one) => ({ ...one, savedAt: at, lossAccepted: false }));
    this.failure.problem = null;
    return save;
  }

  #requireExistence(): void {
    if (this.#isRemoved) throw new OverworldError('VOLUME_NOT_FOUND', { volume: this.id });
  }

  /** @throws OverworldError VOLUME_IN_USE, VOLUME_NOT_FOUND, MASTER_ENDING */
  #requireFree(): void {
    this.#requireOpen();
    this.#requireExistence();
    if (this.attachment !== null) throw inUse(this.id, this.attachment);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new OverworldError('MASTER_ENDING', { what: `volume ${this.id}` });
  }

  async #settle(why: string, unlessOpen = false): Promise<void> {
    if (this.workingCopy.exists) this.#requireOpen();
    await this.workingCopy.settle(why, unlessOpen);
  }
}
