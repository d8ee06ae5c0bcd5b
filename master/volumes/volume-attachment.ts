import type { VolumeId } from '#shared/model/volume.ts';
import { attachTo, isAttachedTo, movedTo, type Attachment } from '#master/core/volumes/attachment.ts';
import type { JsonFile } from '#master/store/json-file.ts';
import type { VolumeSurroundings } from './surroundings.ts';
import { inUse } from './volume-error.ts';
import { earlierNodes, type VolumeFile } from './volume-file.ts';

/**
 * Stores which service on which node may write a volume, and on which nodes the service has run before. When a change
 * resolves, it is on disk.
 */
export class VolumeAttachment {
  readonly #id: VolumeId;
  readonly #file: JsonFile<VolumeFile>;
  readonly #around: Pick<VolumeSurroundings, 'now' | 'changed'>;

  constructor(id: VolumeId, file: JsonFile<VolumeFile>, around: Pick<VolumeSurroundings, 'now' | 'changed'>) {
    this.#id = id;
    this.#file = file;
    this.#around = around;
  }

  /** The current attachment. Null if the newest save contains all data. */
  get current(): Attachment | null {
    return this.#file.data.attachment;
  }

  /** Node on which the service last ran; null if unknown. */
  get lastNode(): string | null {
    return this.#file.data.lastNode;
  }

  /**
   * Reports whether a node may have data of the volume: its service was placed there, or the volume has a save of
   * data from there.
   */
  mayBeOn(node: string): boolean {
    const { lastNode, earlierNodes: earlier, saves } = this.#file.data;
    return [lastNode, ...earlier, ...Object.values(saves).map((one) => one.node)].includes(node);
  }

  /**
   * Attaches the volume to a service on a node. This service is then the volume's only writer.
   *
   * @param isStarted whether the service's process has already been started there
   * @throws OverworldError VOLUME_IN_USE if the volume is attached to another node; DISK_FULL
   */
  async attach(service: string, node: string, isStarted: boolean): Promise<void> {
    await this.#update((data) => {
      const attaching = attachTo(data.attachment, { service, node, now: this.#around.now() });
      if (attaching.kind === 'refused') throw inUse(this.#id, attaching.by);
      const attachment = isStarted ? { ...attaching.attachment, started: true } : attaching.attachment;
      if (attachment === data.attachment && data.lastNode === node) return data;
      return { ...data, attachment, lastNode: node, earlierNodes: earlierNodes(data, node) };
    });
  }

  /** Attaches the same service on another node. Does nothing if the volume is not attached to `from`. */
  async move(from: string, { node, paused }: Pick<Attachment, 'node' | 'paused'>): Promise<void> {
    await this.#update((data) => {
      const { attachment } = data;
      if (attachment?.node !== from) return data;
      const moved = movedTo(node, { service: attachment.service, now: this.#around.now(), paused });
      return { ...data, attachment: moved, lastNode: node, earlierNodes: earlierNodes(data, node) };
    });
  }

  /** Stores whether the running server may have stopped writing its worlds because the master requested it. */
  async notePaused(service: string, node: string, paused: boolean): Promise<void> {
    await this.change(service, node, (one) => (one.paused === paused ? one : { ...one, paused }));
  }

  /**
   * Stores that an admin accepts the loss of data that cannot be saved. Does nothing if the volume is not attached.
   */
  async acceptLoss(): Promise<void> {
    const { current } = this;
    if (current === null) return;
    await this.change(current.service, current.node, (one) => ({ ...one, lossAccepted: true }));
  }

  /**
   * Replaces the attachment by the result of `change`. Does nothing if the volume is not attached to this service on
   * this node.
   */
  async change(
    service: string,
    node: string,
    change: (attachment: Attachment) => Attachment | null,
  ): Promise<void> {
    await this.#update((data) => {
      const { attachment } = data;
      if (attachment === null || !isAttachedTo(attachment, service, node)) return data;
      const changed = change(attachment);
      return changed === attachment ? data : { ...data, attachment: changed };
    });
  }

  async #update(change: (data: VolumeFile) => VolumeFile): Promise<void> {
    await this.#file.update((data) => change(data));
    this.#around.changed();
  }
}
