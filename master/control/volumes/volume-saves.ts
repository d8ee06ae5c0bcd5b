import type { BackoffRange } from '#shared/backoff.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isPersistent } from '#shared/config/template.ts';
import { isUp, type ServiceId } from '#shared/model/service.ts';
import { currentSave, serviceOfVolume, type Save, type VolumeId } from '#shared/model/volume.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import { anchorMoment, placeOfSave, type AnchoredMoment } from '#master/core/volumes/attachment.ts';
import { chooseSaves, type DueSave, type SaveInProgress } from '#master/core/volumes/choose-saves.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { RetryDelays } from '#master/volumes/retry-delays.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { saveService } from './save-service.ts';
import { WorldSaving } from './world-saving.ts';

/** Time between the end of a failed save of a running service and the next regular one. */
const RETRY: BackoffRange = { firstMs: 30_000, maxMs: 600_000 };

type Known = Pick<Documents, 'config'> &
  Pick<Environment, 'now' | 'log'> &
  Pick<NodeAccess, 'registry' | 'runtimeOf'> &
  Pick<ServiceStores, 'records' | 'volumes'> &
  Pick<Feed, 'events'>;

/** A regular save that may begin now. */
interface RegularSave extends DueSave {
  readonly record: ServiceRecord;
  readonly volume: Volume;
}

/** Saves volumes of running services: regularly, and when an admin requests it. */
export class VolumeSaves {
  readonly #context: Known;
  readonly #clock: () => number;
  readonly #worlds = new WorldSaving();
  /** Work in progress, by service. */
  readonly #tasks = new Map<ServiceId, Promise<void>>();
  /** Regular saves in progress, by service. */
  readonly #regular = new Map<ServiceId, SaveInProgress>();
  /** Services for which a save that a person has requested is in progress. */
  readonly #requested = new Set<ServiceId>();
  /** When the last save of a running service ended, successful or not (ms on the monotonic clock). */
  readonly #triedAt = new Map<ServiceId, number>();
  readonly #delays: RetryDelays<ServiceId>;
  /** When each volume was last saved. The wall-clock time is converted to the monotonic clock. */
  readonly #lastSaves = new Map<ServiceId, AnchoredMoment>();
  /** Adopted services that were checked for a paused server: an earlier master may have died during a save. */
  readonly #adopted = new WeakSet<ServiceRecord>();

  /** @param clock returns the monotonic time (ms) */
  constructor(context: Known, clock: () => number = monotonicMs) {
    this.#context = context;
    this.#clock = clock;
    const settings = () => context.config.master.config.volumes;
    this.#delays = new RetryDelays({ range: RETRY, clock, settings });
  }

  /** Begins the saves that are due, as {@link chooseSaves} decides. Call it in every round. */
  carryOn(): void {
    const { records } = this.#context;
    const running = records.all.filter((one) => this.#isRunning(one));
    const due = running.flatMap((record) => this.#attend(record) ?? []);
    for (const one of chooseSaves(due, [...this.#regular.values()], this.#clock())) this.#beginRegular(one);
    const ids = new Set(running.map(({ id }) => id));
    for (const known of [this.#triedAt, this.#lastSaves])
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    this.#delays.keepOnly(ids);
    this.#worlds.keepOnly(ids);
  }

  /**
   * Returns when the next regular save of a volume is due (ms since epoch), or may begin after a failed one. Null if
   * no running service uses the volume.
   */
  nextSaveAt(volume: Volume): number | null {
    const record = this.#context.records.get(serviceOfVolume(volume.id));
    if (record === undefined || !this.#isRunning(record)) return null;
    const dueAt = this.#dueAt(volume);
    if (dueAt === null) return null;
    const dueInMs = dueAt - this.#clock();
    const delayMs = this.#delays.remainingMs(record.id);
    return this.#context.now() + (delayMs > 0 ? Math.max(dueInMs, delayMs) : dueInMs);
  }

  /**
   * Saves a volume now. If people have changed the volume's files over SFTP, stores these changes as a save.
   *
   * @param unlessOpen as documented for `Volume.settle`
   * @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED, VOLUME_NOT_ATTACHED (no service runs on it),
   *   VOLUME_BEING_CHANGED, and as documented for {@link saveService}
   */
  async saveNow(id: VolumeId, actor: string, unlessOpen = false): Promise<Save> {
    const { volumes, records } = this.#context;
    const volume = volumes.get(id);
    const changed = await saveChanges(volume, unlessOpen);
    if (changed !== null) return changed;
    const record = records.get(serviceOfVolume(id));
    if (record === undefined || !this.#isRunning(record) || !this.#isWriter(record, volume))
      throw new OverworldError('VOLUME_NOT_ATTACHED', { volume: id });
    this.#delays.end(record.id);
    this.#requested.add(record.id);
    const cause = `requested by ${actor}`;
    const save = await this.#save(record, volume, cause).finally(() => this.#requested.delete(record.id));
    if (save === null) throw new OverworldError('VOLUME_NOT_ATTACHED', { volume: id });
    return save;
  }

  get #intervalMs(): number {
    return this.#context.config.master.config.volumes.saveInterval * 1_000;
  }

  #isRunning({ node, placed, startedAt, stopping }: ServiceRecord): boolean {
    if (node === null || placed === null || startedAt === null || stopping !== null) return false;
    return isPersistent(placed.values);
  }

  #isWriter({ id, node }: ServiceRecord, volume: Volume | undefined): boolean {
    return node !== null && placeOfSave(volume?.attachment ?? null, id, node) === 'newest';
  }

  /** Begins what a running service needs besides saves. Returns its regular save if it may begin now. */
  #attend(record: ServiceRecord): RegularSave | null {
    const { id, node } = record;
    if (node === null || this.#tasks.has(id) || this.#isSilent(record)) return null;
    const volume = this.#context.volumes.of(id);
    if (volume === undefined || !this.#isWriter(record, volume)) {
      // The master was restarted without its data, perhaps more than once, and has adopted the service.
      const attachment = volume?.attachment ?? null;
      if (record.adoptedAt !== null && (attachment === null || attachment.node === record.node))
        this.#begin(id, () => this.#attach(record));
      return null;
    }
    this.#expectPaused(record, volume);
    if (this.#worlds.hasToResume(id)) {
      this.#begin(id, () => this.#resume(record, volume));
      return null;
    }
    return isUp(record) ? this.#ifDue({ record, volume, node }) : null;
  }

  #ifDue(save: Pick<RegularSave, 'record' | 'volume' | 'node'>): RegularSave | null {
    const { id } = save.record;
    if (this.#requested.has(id) || this.#delays.remainingMs(id) > 0) return null;
    const dueAt = this.#dueAt(save.volume);
    if (dueAt === null || dueAt > this.#clock()) return null;
    return { ...save, dueAt, triedAt: this.#triedAt.get(id) ?? null };
  }

  #beginRegular({ record, volume, node }: RegularSave): void {
    const { id } = record;
    this.#regular.set(id, { node, begunAt: this.#clock() });
    this.#begin(id, async () => {
      try {
        await this.#save(record, volume, 'the regular save was due');
      } finally {
        this.#regular.delete(id);
      }
    });
  }

  /**
   * If the earlier master died while the server of this adopted service was paused, makes the server resume saving.
   */
  #expectPaused(record: ServiceRecord, { attachment }: Volume): void {
    if (record.adoptedAt === null || this.#adopted.has(record)) return;
    this.#adopted.add(record);
    if (attachment?.paused === true) this.#worlds.expectPaused(record.id);
  }

  async #resume(record: ServiceRecord, volume: Volume): Promise<void> {
    const { id } = record;
    if (await this.#worlds.resume(id, this.#runtimeOf(record))) await this.#endPause(record, volume);
    // A server that does not answer cannot be saved, but rules may replace it.
    else volume.failure.noteAttempt();
  }

  /**
   * Returns when the next regular save is due (ms on the monotonic clock). After a failed save, it is due at once,
   * because rules wait for it. Null if the volume is not attached.
   */
  #dueAt({ id, attachment, problem }: Volume): number | null {
    if (attachment === null) return null;
    const service = serviceOfVolume(id);
    const triedAt = this.#triedAt.get(service);
    if (problem !== null && triedAt !== undefined) return triedAt;
    const at = attachment.savedAt ?? attachment.since;
    const times = { now: this.#context.now(), clock: this.#clock() };
    const last = anchorMoment(this.#lastSaves.get(service), at, times);
    this.#lastSaves.set(service, last);
    return last.clock + this.#intervalMs;
  }

  #isSilent({ node }: ServiceRecord): boolean {
    return this.#context.registry.nodes().some(({ id, silentSince }) => id === node && silentSince !== null);
  }

  async #attach(record: ServiceRecord): Promise<void> {
    const { id, node } = record;
    if (node === null) return;
    const volume = await this.#context.volumes.make(id);
    await volume.attach(id, node, true);
    // The earlier master may have paused the server, but its note about that is lost.
    if (record.placed?.values.isProxy === false) await volume.notePaused(id, node, true);
  }

  async #save(record: ServiceRecord, volume: Volume, cause: string): Promise<Save | null> {
    const { id, node } = record;
    if (node === null) return null;
    this.#expectPaused(record, volume);
    const { now } = this.#context;
    const runtime = this.#runtimeOf(record);
    const takeSnapshot = async () => {
      const asked = now();
      if (record.placed?.values.isProxy === true)
        return (await runtime.takeSnapshot(id)) ? { at: asked, consistent: false } : null;
      const note = {
        begin: () => volume.notePaused(id, node, true),
        end: () => this.#endPause(record, volume),
      };
      const { found, consistent } = await this.#worlds.takeSnapshot(id, { runtime, note });
      // A server that is being stopped writes its worlds even if it was asked not to.
      return found ? { at: asked, consistent: consistent && this.#isRunning(record) } : null;
    };
    try {
      const save = await saveService(
        { volume, service: id, node, cause, exited: false, takeSnapshot },
        this.#context,
      );
      if (save === null) this.#delays.failed(id, false);
      else this.#delays.end(id);
      return save;
    } catch (error) {
      this.#delays.failed(id, true);
      throw error;
    } finally {
      this.#triedAt.set(id, this.#clock());
      volume.failure.noteAttempt();
    }
  }

  /**
   * Stores that a server writes its worlds again. If this fails, the next master asks the server once more, which
   * does no harm.
   */
  async #endPause({ id, node }: ServiceRecord, volume: Volume): Promise<void> {
    try {
      await volume.notePaused(id, node ?? '', false);
    } catch (error) {
      this.#context.log.warn({ err: error, service: id }, 'the end of a pause could not be noted');
    }
  }

  #runtimeOf({ node }: ServiceRecord) {
    return this.#context.runtimeOf(node ?? '');
  }

  #begin(id: ServiceId, work: () => Promise<void>): void {
    const task = work()
      .catch((error: unknown) => {
        // save-service.ts has already written an event about this error.
        this.#context.log.warn({ err: error, service: id }, 'the volume of a running service was not saved');
      })
      .finally(() => this.#tasks.delete(id));
    this.#tasks.set(id, task);
  }
}

/** Stores the changes that people made over SFTP as a save. Returns null if there are none. */
async function saveChanges(volume: Volume, unlessOpen: boolean): Promise<Save | null> {
  if (!volume.workingCopy.exists) return null;
  await volume.settle('a save was requested', unlessOpen);
  return currentSave(volume.saves());
}
