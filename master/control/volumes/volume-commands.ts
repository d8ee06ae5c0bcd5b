import { OverworldError } from '#shared/errors/overworld-error.ts';
import { serviceOfVolume, type Save, type VolumeId } from '#shared/model/volume.ts';
import type { Attachment } from '#master/core/volumes/attachment.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import { isPlacedOn } from '#master/state/services/adoptions.ts';
import { backToRequested } from '#master/state/services/records.ts';
import type { Volume } from '#master/volumes/volume.ts';
import type { Loop } from '../loop/loop.ts';
import { giveUpData } from './keep-data.ts';
import { emitVolumeEvent } from './volume-events.ts';

/** Carries out the commands of admins for volumes. When a command resolves, all its changes are on disk. */
export class VolumeCommands {
  readonly #context: Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry' | 'runtimeOf'> &
    Pick<ServiceStores, 'records' | 'volumes'> &
    Pick<Feed, 'events'>;
  readonly #loop: Pick<Loop, 'poke' | 'volumeSaves'>;

  constructor(
    context: Pick<Environment, 'now'> &
      Pick<NodeAccess, 'registry' | 'runtimeOf'> &
      Pick<ServiceStores, 'records' | 'volumes'> &
      Pick<Feed, 'events'>,
    loop: Pick<Loop, 'poke' | 'volumeSaves'>,
  ) {
    this.#context = context;
    this.#loop = loop;
  }

  /** Saves a volume now. @throws OverworldError as documented for `VolumeSaves.saveNow` */
  async save(id: VolumeId, actor: string, unlessOpen = false): Promise<Save> {
    const save = await this.#loop.volumeSaves.saveNow(id, actor, unlessOpen);
    this.#emit(id, {
      kind: 'volume.saved',
      message: `${serviceOfVolume(id)} was saved as ${save.save}`,
      actor,
    });
    return save;
  }

  /**
   * Makes an earlier save the newest one. The next start of the service then uses its data.
   *
   * @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED, VOLUME_IN_USE, SAVE_NOT_FOUND, DISK_FULL
   */
  async restore(id: VolumeId, save: string, actor: string): Promise<void> {
    await this.#context.volumes.get(id).restore(save, `restored by ${actor}`);
    const message = `The next start of ${serviceOfVolume(id)} uses the earlier save ${save}`;
    this.#emit(id, { kind: 'volume.restored', message, actor });
  }

  /** Deletes a volume with its saves. @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED, VOLUME_IN_USE */
  async delete(id: VolumeId, actor: string): Promise<void> {
    this.#requireNoProcess(id);
    await this.#context.volumes.remove(id);
    this.#emit(id, { kind: 'volume.deleted', message: `Volume ${id} was deleted with all its saves`, actor });
  }

  /** Creates a volume from a save of another volume. @throws OverworldError as documented for `Volumes.clone` */
  async clone(
    request: { readonly from: VolumeId; readonly to: VolumeId; readonly save?: string | undefined },
    actor: string,
  ): Promise<void> {
    this.#requireNoProcess(request.to);
    await this.#context.volumes.clone(request, `cloned from ${request.from} by ${actor}`);
    const message = `Volume ${request.to} was created from ${request.from}`;
    this.#emit(request.to, { kind: 'volume.cloned', message, actor });
  }

  /**
   * Makes the content of a folder the newest save of a volume.
   *
   * @param folder name of a folder in the folder of the volumes
   * @throws OverworldError VOLUME_DAMAGED, VOLUME_IN_USE, IMPORT_UNUSABLE, DISK_FULL, DISK_RESERVED
   */
  async import(id: VolumeId, folder: string, actor: string): Promise<Save> {
    this.#requireNoProcess(id);
    const save = await this.#context.volumes.import(id, folder, `imported by ${actor}`);
    const message = `The next start of ${serviceOfVolume(id)} uses the imported save ${save.save}`;
    this.#emit(id, { kind: 'volume.restored', message, actor });
    return save;
  }

  /**
   * Gives up the newest data of a volume, so that its service can start from the last save. The volume is detached at
   * once if its node cannot be reached or has nothing of the service. If the node has files of the exited service
   * that cannot be saved, the master tries once more to save them before it removes them.
   *
   * @returns the length of the time whose data may be lost (ms); null if nothing can be lost or the volume is not
   *   attached
   * @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED, VOLUME_NOT_LOST (the node answers, and the service runs
   * there or no save has failed), NODE_UNREACHABLE, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING
   */
  async acceptLoss(id: VolumeId, actor: string): Promise<number | null> {
    const { volumes, records } = this.#context;
    const volume = volumes.get(id);
    const { attachment } = volume;
    if (attachment === null) return null;
    const isReachable = this.#isReachable(attachment.node);
    const hasFiles = isReachable && (await this.#hasFiles(volume, attachment));
    const lostMs = await giveUpData(volume, { attachment, hasFiles, actor }, this.#context);
    const record = records.get(attachment.service);
    if (!isReachable && record !== undefined && isPlacedOn(record, attachment.node)) {
      backToRequested(record, this.#context.now());
      // If the node becomes reachable again, its process does not belong to the service any more, and is stopped.
      record.wasOn = null;
      await records.save();
    }
    this.#loop.poke();
    return lostMs;
  }

  #isReachable(id: string): boolean {
    const node = this.#context.registry.nodes().find((one) => one.id === id);
    return node !== undefined && node.state !== 'LOST' && node.silentSince === null;
  }

  /**
   * Reports whether a node that answers has files of an exited service.
   *
   * @throws OverworldError VOLUME_NOT_LOST if the service runs there, or no save of its files has failed
   */
  async #hasFiles({ id, problem }: Volume, { service, node }: Attachment): Promise<boolean> {
    const { records, runtimeOf } = this.#context;
    const processes = await runtimeOf(node).observe();
    const process = processes.find(({ spec }) => spec.id === service);
    if (process === undefined && records.get(service)?.node !== node) return false;
    const running = process?.state === 'alive';
    if (running || problem === null)
      throw new OverworldError('VOLUME_NOT_LOST', { volume: id, node, running });
    return true;
  }

  /**
   * @throws OverworldError VOLUME_IN_USE if the volume's service has a node: its process may start there at any
   * moment
   */
  #requireNoProcess(id: VolumeId): void {
    const service = serviceOfVolume(id);
    const node = this.#context.records.get(service)?.node ?? null;
    if (node !== null) throw new OverworldError('VOLUME_IN_USE', { volume: id, service, node });
  }

  #emit(
    id: VolumeId,
    {
      actor,
      ...happening
    }: {
      readonly kind: 'volume.saved' | 'volume.restored' | 'volume.cloned' | 'volume.deleted';
      readonly message: string;
      readonly actor: string;
    },
  ): void {
    emitVolumeEvent(this.#context.events, id, { ...happening, actor, cause: `requested by ${actor}` });
  }
}
