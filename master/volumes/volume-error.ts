import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { VolumeId } from '#shared/model/volume.ts';
import type { Attachment } from '#master/core/volumes/attachment.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';

/** Returns the error for a change of a volume that a service uses. */
export function inUse(volume: VolumeId, { service, node }: Attachment): OverworldError {
  return new OverworldError('VOLUME_IN_USE', { volume, service, node });
}

/**
 * Converts an error of the disk with a volume to DISK_RESERVED, DISK_FULL or VOLUME_UNREADABLE, which say what to do.
 * Returns an OverworldError as it is.
 */
export function toVolumeError(error: unknown, volume: VolumeId, path: string): OverworldError {
  if (error instanceof OverworldError) return toOverworldError(error);
  if (error instanceof DiskReserveReached)
    return new OverworldError('DISK_RESERVED', { path, why: error.message }, error);
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
  return new OverworldError('VOLUME_UNREADABLE', { volume, why: diskProblem(error) }, error);
}
