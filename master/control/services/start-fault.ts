import type { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * True when a start failed for its node's reason: its disk is full, it has no Java, memory or port left, or it does not do
 * what it is told. Another node may start the same service. Anything else (no server.jar, EULA, a crash) fails everywhere and
 * counts against the template. The category of the error code says which: `shared/errors/codes/`.
 */
export function isNodeFault({ category }: Pick<OverworldError, 'category'>): boolean {
  return category === 'node';
}
