import type { ServiceId } from '#shared/model/service.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { NodeId } from '../snapshot/snapshot.ts';

/** A volume, as the planner sees it. */
export interface VolumeSnapshot {
  /** The service that the volume belongs to. */
  readonly service: ServiceId;
  /** Node that may have data which is not saved. Null if the newest save has everything. */
  readonly attachedTo: NodeId | null;
  /** Node on which the service last ran, whose disk may still have most of the data. Null if unknown. */
  readonly cachedOn: NodeId | null;
}

/** Returns why a requested service cannot start yet, because of its volume. Null if it can. */
export function whyVolumeWaits(volume: VolumeSnapshot | undefined): Wait | null {
  if (volume === undefined || volume.attachedTo === null) return null;
  const { service, attachedTo } = volume;
  const message = `The newest data of ${service} is on ${attachedTo}, where it is not saved yet. ${service} starts once it is saved or ${attachedTo} is deleted at its provider. To start from the last save instead, accept the loss of the data since then.`;
  return { reason: 'VOLUME_ATTACHED', message, until: null };
}
