import { serviceNumber, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';

type Answer = Result<'services.list'>;

/** Sorts `lobby-2` before `lobby-10`. */
export function serviceSortKey({ id, template }: Pick<Service, 'id' | 'template'>): string {
  return `${template}-${String(serviceNumber(id)).padStart(10, '0')}`;
}

/**
 * Takes a delta into the services known. Unchanged services stay the same objects, so that only changed rows are
 * drawn again.
 */
export function mergeServices(
  known: ReadonlyMap<ServiceId, Service> | null,
  { complete, services, removed }: Pick<Answer, 'complete' | 'services' | 'removed'>,
): ReadonlyMap<ServiceId, Service> {
  const next = complete || known === null ? new Map<ServiceId, Service>() : new Map(known);
  for (const id of removed) next.delete(id);
  for (const service of services) next.set(service.id, service);
  return next;
}
