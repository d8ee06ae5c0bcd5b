import { serviceNumber, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';

type Answer = Result<'services.list'>;

/** Keys made so far: services that did not change are the same objects, and 5,000 keys are not made again. */
const keys = new WeakMap<object, string>();

/** Sorts `lobby-2` before `lobby-10`. */
export function serviceSortKey(service: Pick<Service, 'id' | 'template'>): string {
  const known = keys.get(service);
  if (known !== undefined) return known;
  const key = `${service.template}-${String(serviceNumber(service.id)).padStart(10, '0')}`;
  keys.set(service, key);
  return key;
}

/**
 * Takes a delta into the services known, by template and number. Unchanged services stay the same objects, so
 * that only changed rows are drawn again.
 */
export function mergeServices(
  known: ReadonlyMap<ServiceId, Service> | null,
  { complete, services, removed }: Pick<Answer, 'complete' | 'services' | 'removed'>,
): ReadonlyMap<ServiceId, Service> {
  const next = complete || known === null ? new Map<ServiceId, Service>() : new Map(known);
  for (const id of removed) next.delete(id);
  const kept = next.size;
  for (const service of services) next.set(service.id, service);
  // A map keeps the place of a key it has; only new ones stand at the end and must be sorted in.
  return next.size === kept ? next : new Map([...next].sort(([, a], [, b]) => compare(a, b)));
}

function compare(a: Service, b: Service): number {
  return serviceSortKey(a) < serviceSortKey(b) ? -1 : 1;
}
