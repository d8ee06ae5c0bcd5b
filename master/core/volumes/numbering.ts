import { serviceNumber, type ServiceId } from '#shared/model/service.ts';
import { templateOfService } from '#shared/model/service-id.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { VolumeSnapshot } from '../snapshot/snapshot.ts';

interface Numbered {
  /** Services of the template. A service that is being stopped still has its number. */
  readonly services: readonly { readonly id: ServiceId }[];
  /** Volumes of all templates. */
  readonly volumes: readonly VolumeSnapshot[];
}

/**
 * Returns the numbers of the next services of a template with persistent paths
 * (docs/specification.md#persistentpaths). Volumes of former services that can be used at once come first, lowest
 * number first. Then come the lowest other numbers that no service has.
 *
 * Example: three new numbers while `survival-1` and `survival-3` exist, and a volume of `survival-7` → 7, 2, 4.
 */
export function nextFreeNumbers(
  template: TemplateId,
  { services, volumes }: Numbered,
  count: number,
): number[] {
  const taken = new Set(services.map(({ id }) => serviceNumber(id)));
  const free = volumes
    .filter((volume) => templateOfService(volume.service) === template && isUsable(volume))
    .map(({ service }) => serviceNumber(service))
    .filter((number) => !taken.has(number))
    .sort((a, b) => a - b)
    .slice(0, count);
  for (const number of free) taken.add(number);
  for (let number = 1; free.length < count; number += 1) if (!taken.has(number)) free.push(number);
  return free;
}

/**
 * Reports whether a former service's volume can be used at once. A volume in which no service has run may be a copy
 * that a person made. So a new service does not use this volume in preference to an empty world.
 */
function isUsable({ problem, attachedTo, cachedOn }: VolumeSnapshot): boolean {
  return problem === null && attachedTo === null && cachedOn !== null;
}
