import { serviceNumber, type ServiceId } from '#shared/model/service.ts';

/**
 * Returns the numbers of the next services of a template with persistent paths
 * (docs/specification.md#persistentpaths). Volumes that no service uses come first, lowest number first. Then come the
 * lowest numbers that have neither a service nor a volume. A service that is being stopped still has its number.
 *
 * Example: three new numbers while `survival-1` and `survival-3` exist, and a volume of `survival-7` → 7, 2, 4.
 *
 * @param services services of the template
 * @param volumes services of the template that have a volume, whether or not they exist now
 */
export function nextFreeNumbers(
  services: readonly ServiceId[],
  volumes: readonly ServiceId[],
  count: number,
): number[] {
  const taken = new Set(services.map(serviceNumber));
  const unused = volumes.map(serviceNumber).filter((number) => !taken.has(number));
  const free = [...new Set(unused)].sort((a, b) => a - b).slice(0, count);
  for (const number of free) taken.add(number);
  for (let number = 1; free.length < count; number += 1) if (!taken.has(number)) free.push(number);
  return free;
}
