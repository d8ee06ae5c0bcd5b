import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { VolumeId } from '#shared/model/volume.ts';
import type { Attachment } from '#master/core/volumes/attachment.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';

/** Returns the error VOLUME_IN_USE, for a change of a volume while a service uses the volume. */
export function inUse(volume: VolumeId, { service, node }: Attachment): OverworldError {
  return new OverworldError('VOLUME_IN_USE', { volume, service, node });
}

/**
 * Converts an error of the disk of a volume to DISK_RESERVED, DISK_FULL or VOLUME_UNREADABLE, whose messages say what
 * to do. Returns an OverworldError unchanged.
 */
export function toVolumeError(error: unknown, volume: VolumeId, path: string): OverworldError {
  if (error instanceof OverworldError) return toOverworldError(error);
  if (error instanceof DiskReserveReached)
    return new OverworldError('DISK_RESERVED', { path, why: error.message }, error);
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
  return new OverworldError('VOLUME_UNREADABLE', { volume, why: diskProblem(error) }, error);
}
