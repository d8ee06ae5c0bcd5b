import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';

/**
 * Returns the runtime that stores a service's console log. For a service on a node, that is the node's runtime. For
 * an exited service, it is the master's own runtime, which stores the logs of exited services from all nodes,
 * including deleted ones.
 *
 * @throws OverworldError SERVICE_NOT_FOUND
 */
export async function runtimeWithLog(
  id: ServiceId,
  context: Pick<NodeAccess, 'runtimeOf' | 'keeper'> & Pick<ServiceStores, 'records'>,
): Promise<Runtime> {
  const record = context.records.get(id);
  const placedOn = record?.node ?? null;
  if (placedOn !== null) return context.runtimeOf(placedOn);
  const { keeper } = context;
  if (record !== undefined || (await keeper.tailLog(id, 1)).length > 0) return keeper;
  throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
}
