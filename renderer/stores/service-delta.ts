import { serviceNumber, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';

type Answer = Result<'services.list'>;

/**
 * Cached sort keys. An unchanged service stays the same object, so the cache saves the computation of up to 5,000
 * keys.
 */
const keys = new WeakMap<object, string>();

/** Returns a key that sorts `lobby-2` before `lobby-10`. */
export function serviceSortKey(service: Pick<Service, 'id' | 'template'>): string {
  const known = keys.get(service);
  if (known !== undefined) return known;
  const key = keyOf(service.template, service.id);
  keys.set(service, key);
  return key;
}

function keyOf(template: string, id: ServiceId): string {
  return `${template}-${String(serviceNumber(id)).padStart(10, '0')}`;
}

/**
 * If more than one in this number of services changes at once, the whole list is sorted. This is then cheaper than
 * inserting each changed service.
 */
const MOST_PLACED_PART = 4;

/**
 * Merges changed services into the known services, and drops removed ones. The known services are sorted by template
 * and number. Unchanged services stay the same objects, so only changed rows are redrawn. Except for one copy of the
 * list, the work depends only on the number of changes. If more than a quarter of the list has changed, the whole
 * list is sorted.
 */
export function mergeServices(
  known: readonly Service[] | null,
  { complete, services, removed }: Pick<Answer, 'complete' | 'services' | 'removed'>,
): readonly Service[] {
  if (complete || known === null) return sorted(services);
  if (services.length * MOST_PLACED_PART > known.length) {
    const gone = new Set([...removed, ...services.map(({ id }) => id)]);
    return sorted([...known.filter(({ id }) => !gone.has(id)), ...services]);
  }
  const list = [...known];
  for (const id of removed) {
    const at = indexOfService(list, id);
    if (at >= 0) list.splice(at, 1);
  }
  for (const service of services) {
    const at = placeOf(list, serviceSortKey(service));
    list.splice(at, list[at]?.id === service.id ? 1 : 0, service);
  }
  return list;
}

/**
 * Returns the index of a service in a list from {@link mergeServices}. -1 if the list does not contain the service.
 */
export function indexOfService(list: readonly Service[], id: ServiceId): number {
  const at = placeOf(list, keyOf(id.slice(0, Math.max(0, id.lastIndexOf('-'))), id));
  return list[at]?.id === id ? at : -1;
}

function placeOf(list: readonly Service[], key: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && serviceSortKey(other) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sorted(services: readonly Service[]): readonly Service[] {
  return [...services].sort((a, b) => (serviceSortKey(a) < serviceSortKey(b) ? -1 : 1));
}
