import type { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Reports whether a start failed because of its node: the disk is full, or Java, memory or a port is missing, or
 * the node does not obey. Another node may start the same service. Any other error (no server.jar, EULA, a crash)
 * would occur everywhere and counts against the template. The error code's category decides:
 * `shared/errors/codes/`.
 *
 * Example: `DISK_FULL` → true; `EULA_NOT_ACCEPTED` → false.
 */
export function isNodeFault({ category }: Pick<OverworldError, 'category'>): boolean {
  return category === 'node';
}
