import type { Node } from '#shared/model/node.ts';
import { activeBackoffs } from '#master/core/placement/node-backoff.ts';
import type { StartBackoff } from '#master/core/snapshot/snapshot.ts';
import { indexSnapshot } from '#master/core/snapshot/snapshot-index.ts';
import { paidUntil } from '#master/core/fleet/release-window.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { PublishedState } from '#master/control/loop/published-state.ts';
import { deleteForeignServer } from '#master/control/nodes/foreign-servers.ts';
import { takeSnapshot } from '#master/control/loop/take-snapshot.ts';
import { viewNodes } from '#master/state/nodes/node-view.ts';
import type { OverrideCommands } from '#master/control/services/override-commands.ts';
import type { HandlersOf } from '../api.ts';

export interface NodeHandlersOptions {
  readonly context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry' | 'nodeBackoff' | 'nodeTimes' | 'costs'> &
    Pick<ServiceStores, 'records' | 'startBackoffs' | 'volumes' | 'evictions'> &
    Pick<IngressAccess, 'link' | 'proxies'> &
    Feed;
  readonly published: Pick<PublishedState, 'planStatus'>;
  readonly overrideCommands: OverrideCommands;
}

/** Creates the handlers of `nodes.*`. */
export function nodesHandlers({
  context,
  published,
  overrideCommands,
}: NodeHandlersOptions): HandlersOf<'nodes'> {
  const { planStatus } = published;
  return {
    'nodes.list': () => {
      const snapshot = takeSnapshot(context);
      const index = indexSnapshot(snapshot);
      return viewNodes(context).map((node): Node => {
        const { id, kind, sharesUser = false, state, note, location, address, ramMb } = node;
        const { held, locked, leaving, rental } = node;
        const { services, allocatedMb } = index.onNode(id);
        return {
          id,
          kind,
          sharesUser,
          state,
          since: context.nodeTimes.since(node),
          note,
          location,
          address,
          ram: { totalMb: ramMb, allocatedMb },
          services: services.length,
          held,
          locked,
          leaving,
          rental: rental === null ? null : { ...rental, paidUntil: paidUntil(rental, snapshot.now) },
          keep: planStatus.keepOf(id),
          backoff: toBackoff(context.nodeBackoff.of(id), snapshot.now),
        };
      });
    },
    'nodes.provider': () => ({ trouble: context.registry.trouble() }),
    'nodes.hold': async ({ id, held }, caller) => {
      await overrideCommands.holdNode(id, held, caller.name);
      return {};
    },
    'nodes.lock': async ({ id, locked }, caller) => {
      await overrideCommands.lockNode(id, locked, caller.name);
      return {};
    },
    'nodes.schedule': async ({ id, to }, caller) => {
      await overrideCommands.scheduleNode(id, to, caller.name);
      return {};
    },
    'nodes.foreign': () => [...context.registry.foreignServers()],
    'nodes.deleteForeign': async (server, caller) => {
      await deleteForeignServer(context, server, caller.name);
      return {};
    },
  };
}

function toBackoff(backoffs: readonly StartBackoff[], now: number): Node['backoff'] {
  const active = activeBackoffs(backoffs, now);
  const [last] = active;
  if (last === undefined) return null;
  const names = active.map(({ template }) => template).sort();
  const which = names.length === 1 ? `template ${names.join('')}` : `templates ${names.join(', ')}`;
  const message = `Starts of ${which} failed on this node, so other nodes are used for now. ${last.reason}`;
  return { message, until: last.retryAt };
}
