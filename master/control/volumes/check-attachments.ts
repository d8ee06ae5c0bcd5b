import type { ServiceId } from '#shared/model/service.ts';
import { checkAttachment, type Attachment, type AttachedNode } from '#master/core/volumes/attachment.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Volume } from '#master/volumes/volume.ts';
import type { ObservedNodes, ProcessOnNode } from '../loop/observed-processes.ts';
import { loseData } from './keep-data.ts';

type Known = Pick<Environment, 'log'> &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceStores, 'records' | 'volumes' | 'adoptions'> &
  Pick<Feed, 'events'>;

/** The observation of one round. */
interface Observation {
  readonly observed: ObservedNodes;
  /** The observed processes and folders, by service. */
  readonly places: ReadonlyMap<ServiceId, readonly ProcessOnNode[]>;
  /** Services for which an action is in progress. Their observed processes and folders may be outdated. */
  readonly busy: ReadonlySet<ServiceId>;
}

/**
 * Corrects attachments that do not match the running services, for example after the restore of an older backup. If
 * the node of a volume verifiably has nothing of the volume's service, the volume is attached to the node on which
 * the service runs. If the service runs nowhere, the volume is detached. Without this correction, the service would
 * wait forever for data that no node has, and the rules would never release the node.
 *
 * Call it in every round, after processes without a record are adopted. An error for one volume is logged, and the
 * next round tries again.
 */
export async function checkAttachments(observation: Observation, context: Known): Promise<void> {
  for (const volume of context.volumes.all) {
    const { attachment } = volume;
    if (attachment === null || observation.busy.has(attachment.service)) continue;
    try {
      await correct({ volume, attachment }, observation, context);
    } catch (error) {
      context.log.warn({ err: error, volume: volume.id }, 'an attachment could not be corrected yet');
    }
  }
}

async function correct(
  { volume, attachment }: { readonly volume: Volume; readonly attachment: Attachment },
  observation: Observation,
  context: Known,
): Promise<void> {
  const { service, node } = attachment;
  const places = observation.places.get(service) ?? [];
  const placedOn = context.records.get(service)?.node ?? null;
  const place = places.find((one) => one.node === placedOn);
  const state = stateOf(node, { ...observation, service }, context);
  const known = {
    state,
    placedOn,
    isObserved: place !== undefined,
    mayRunUnobserved: mayRunUnobserved(context),
  };
  switch (checkAttachment(attachment, known)) {
    case 'keep':
      return;
    case 'move':
      if (place === undefined) return;
      context.log.info(
        { volume: volume.id, from: node, to: place.node },
        'a volume is where its service runs',
      );
      // The earlier master may have paused the server's saving, but its note about that is not known.
      await volume.move(node, { node: place.node, paused: isPausable(place) });
      return;
    case 'detach':
      await loseData({ service, node, cause: whyLost(state, service, node) }, context);
  }
}

function stateOf(
  node: NodeId,
  { observed, places, service }: Observation & { readonly service: ServiceId },
  { registry, adoptions }: Pick<Known, 'registry' | 'adoptions'>,
): AttachedNode['state'] {
  if (observed.answered.has(node))
    return (places.get(service) ?? []).some((one) => one.node === node) ? 'unknown' : 'empty';
  const isListed = registry.nodes().some(({ id }) => id === node);
  // A provider has answered this master only if its offers are known. Without a usable token, it confirms nothing.
  const hasConfirmed = registry.listed() && registry.market() !== null;
  return !isListed && hasConfirmed && !adoptions.isOwn(node) ? 'deleted' : 'unknown';
}

/**
 * Reports whether a service without a record may run on a node that this master has not observed. This is possible
 * only for a master that started without stored state. New nodes cannot have such a service.
 */
function mayRunUnobserved({ records, registry, adoptions }: Known): boolean {
  if (!records.isRecovering) return false;
  return registry
    .nodes()
    .some(({ id, state }) => (state === 'READY' || state === 'LOST') && !adoptions.hasObserved(id));
}

function isPausable({ process }: ProcessOnNode): boolean {
  return process.state === 'alive' && !process.spec.isProxy;
}

function whyLost(state: AttachedNode['state'], service: ServiceId, node: NodeId): string {
  return state === 'deleted'
    ? `${node} no longer exists at its provider`
    : `${node} answers, and has neither the process nor the folder of ${service}, for example because an older backup was restored`;
}
