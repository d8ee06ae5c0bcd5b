import { serviceNumber, type ServiceId } from '#shared/model/service.ts';

/**
 * Returns the numbers of the next services of a template with persistent paths
 * (docs/specification.md#persistentpaths). Worlds that no service uses come first, lowest number first. Then come the
 * lowest other numbers that no service has. A service that is being stopped still has its number.
 *
 * Example: three new numbers while `survival-1` and `survival-3` exist, and a volume of `survival-7` → 7, 2, 4.
 *
 * @param services services of the template
 * @param volumes former services of the template whose volumes can be used. Volumes in which no service has ever run
 *   are not among them: a copy that a person made is no world of the next service
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
