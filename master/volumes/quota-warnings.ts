import type { MasterConfig } from '#shared/config/master.ts';
import type { Volume, VolumeId } from '#shared/model/volume.ts';

const MB = 2 ** 20;

/** Share of a quota from which people are warned (percent). */
const WARN_FROM_PERCENT = 90;

/**
 * Returns warnings about volumes that take at least 90 % of a quota (docs/specification.md#volumes), by volume. If
 * all volumes together take at least 90 % of their common quota, the volume that takes the most space gets the
 * warning.
 *
 * Example: 1,850 MB of at most 2,000 MB → warning, because this is more than 90 %.
 */
export function quotaWarnings(
  volumes: readonly Pick<Volume, 'id' | 'bytes' | 'storedBytes'>[],
  { perVolume, total }: MasterConfig['volumes']['quota'],
): ReadonlyMap<VolumeId, string> {
  const warnings = new Map<VolumeId, string>();
  for (const { id, bytes } of volumes)
    if (isNear(bytes, perVolume))
      warnings.set(id, `Volume ${id} has ${share(bytes, perVolume, 'volumes.quota.perVolume')} ${ADVICE}`);
  const stored = volumes.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  const largest = volumes.toSorted((a, b) => b.storedBytes - a.storedBytes)[0];
  if (largest !== undefined && isNear(stored, total)) {
    const own = warnings.get(largest.id);
    const all = `All saves of all volumes take ${share(stored, total, 'volumes.quota.total')} ${ADVICE}`;
    warnings.set(largest.id, own === undefined ? all : `${own} ${all}`);
  }
  return warnings;
}

const ADVICE =
  'Raise the quota, keep fewer saves, or delete data; otherwise saves are refused once it is reached.';

function isNear(bytes: number, limitMb: number): boolean {
  return limitMb !== -1 && (bytes / MB) * 100 >= limitMb * WARN_FROM_PERCENT;
}

function share(bytes: number, limitMb: number, setting: string): string {
  return `${Math.ceil(bytes / MB)} of the ${limitMb} MB that ${setting} allows.`;
}
