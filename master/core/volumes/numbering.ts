import { serviceNumber, type ServiceId } from '#shared/model/service.ts';

/**
 * Returns the numbers of the next services of a template with persistent paths: the lowest numbers that no service of
 * the template has (docs/specification.md#persistentpaths). A service that is being stopped still has its number.
 *
 * Example: two new numbers while `survival-1` and `survival-3` exist → 2, 4.
 */
export function lowestFreeNumbers(services: readonly { readonly id: ServiceId }[], count: number): number[] {
  const taken = new Set(services.map(({ id }) => serviceNumber(id)));
  const free: number[] = [];
  for (let number = 1; free.length < count; number += 1) if (!taken.has(number)) free.push(number);
  return free;
}
