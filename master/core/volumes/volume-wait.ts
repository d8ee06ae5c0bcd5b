import type { Wait } from '#shared/model/wait.ts';
import type { VolumeSnapshot } from '../snapshot/snapshot.ts';

/** Returns why a requested service cannot start yet because of its volume. Null if the volume allows the start. */
export function whyVolumeWaits(volume: VolumeSnapshot | undefined): Wait | null {
  if (volume === undefined) return null;
  if (volume.problem !== null) return { reason: 'VOLUME_DAMAGED', message: volume.problem, until: null };
  if (volume.attachedTo === null) return null;
  const { service, attachedTo, mayBeUnsaved } = volume;
  if (!mayBeUnsaved) {
    const message = `The last start of ${service}, on ${attachedTo}, was interrupted. ${service} starts again once ${attachedTo} answers or is deleted at its provider.`;
    return { reason: 'VOLUME_ATTACHED', message, until: null };
  }
  const message = `The newest data of ${service} is on ${attachedTo}, where it is not saved yet. ${service} starts once it is saved or ${attachedTo} is deleted at its provider. To start from the last save instead, accept the loss of the data since then.`;
  return { reason: 'VOLUME_ATTACHED', message, until: null };
}
