import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { emitNodeEvent } from '#master/state/feed/emit-event.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import { keepData } from './keep-data.ts';

/**
 * Returns a function that saves the data of a service on a node where the service does not belong any more. Call the
 * function before the service's files are removed from the node, and remove them only if the call succeeds.
 *
 * A node may hand over data only of services that were placed on it, because an attacker may control the node. Other
 * data is neither stored nor deleted: the function then rejects with DATA_UNKNOWN, or with VOLUME_DAMAGED if the
 * service's volume cannot be used. It also rejects as {@link keepData} does. Writes an event about DATA_UNKNOWN and
 * SEPARATE_SAVES_LIMIT, once for each service and node, and at most 100 events in all.
 */
export function keepStrayData(
  context: Pick<ServiceStores, 'volumes' | 'adoptions'> &
    Pick<NodeAccess, 'runtimeOf'> &
    Pick<Environment, 'now' | 'log'> &
    Pick<Feed, 'events'>,
): (node: NodeId, service: ServiceId) => Promise<void> {
  const { volumes, adoptions, runtimeOf, events } = context;
  const reported = new Set<string>();
  const report = (node: NodeId, service: ServiceId, problem: OverworldError): void => {
    const key = `${node} ${service} ${problem.code}`;
    // A node may report any number of services.
    if (reported.has(key) || reported.size >= MAX_REPORTED) return;
    reported.add(key);
    const message = `${node} has data of ${service} that is not stored`;
    emitNodeEvent(events, node, { kind: 'node.failed', message, cause: problem.message });
  };
  return async (node, service) => {
    if (volumes.of(service)?.mayBeOn(node) === true || adoptions.mayHandOver(node)) {
      try {
        const cause = 'its process does not belong there any more';
        await keepData({ service, node, cause, exit: null }, context);
      } catch (error) {
        if (hasCode(error, 'SEPARATE_SAVES_LIMIT')) report(node, service, error);
        throw error;
      }
      return;
    }
    if (!(await runtimeOf(node).takeSnapshot(service))) return;
    const damage = volumes.damageOf(service);
    if (damage !== null) throw damage;
    const problem = new OverworldError('DATA_UNKNOWN', { node, service });
    report(node, service, problem);
    throw problem;
  };
}

/** Maximum number of events about data that is not stored, per run of the master. */
const MAX_REPORTED = 100;
