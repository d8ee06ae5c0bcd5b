import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Parts } from './parts.ts';

/**
 * The runtime that keeps a service's console log: that of its node, or for an ended one that of whichever node has it.
 *
 * @throws OverworldError SERVICE_NOT_FOUND
 */
export async function runtimeWithLog(id: ServiceId, parts: Parts): Promise<Runtime> {
  const record = parts.records.get(id);
  const placedOn = record?.node ?? null;
  if (placedOn !== null) return parts.runtimeOf(placedOn);
  for (const node of parts.provider.nodes()) {
    const runtime = parts.runtimeOf(node.id);
    if (record !== undefined || (await runtime.tailLog(id, 1)).length > 0) return runtime;
  }
  throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
}
