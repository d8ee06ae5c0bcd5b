import type { NodeSnapshot, ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import { each, type Look } from '../look.ts';
import type { Promised } from '../check.ts';

/** Guarantees about the nodes on which a plan starts services. */
export const placePromises: readonly Promised<Look>[] = [
  {
    says: 'never places more services on a node than its RAM allows',
    breaches: (look) =>
      each(
        look.snapshot.nodes,
        (node) => {
          const addedMb = sum(startsOn(look, node).map(({ ramMb }) => ramMb));
          return addedMb > 0 && look.allocatedMb(node) + addedMb > node.ramMb;
        },
        ({ id }) => id,
      ),
  },
  {
    says: 'never starts more services on a node at the same time than its budget allows',
    breaches: (look) =>
      each(
        look.snapshot.nodes,
        (node) => {
          const starts = startsOn(look, node).length;
          return starts > 0 && startingOn(look, node) + starts > node.startBudget;
        },
        ({ id }) => id,
      ),
  },
  {
    says: 'places no service on a node that is paused, unreachable, not READY, or drained by the same plan',
    breaches: (look) => {
      const drained = new Set(look.of('drain').map(({ node }) => node));
      return each(
        look.of('start'),
        ({ node }) => {
          const target = look.nodes.get(node);
          return target === undefined || !isOpen(target) || drained.has(node);
        },
        ({ service, node }) => `${service} on ${node}`,
      );
    },
  },
  {
    says: 'starts only requested services with an intact template and a Java runtime',
    breaches: (look) =>
      each(
        look.of('start'),
        ({ service, node }) => {
          const one = look.services.get(service);
          return one?.state !== 'REQUESTED' || !isStartable(look, one) || !hasJava(look, one, node);
        },
        ({ service, node }) => `${service} on ${node}`,
      ),
  },
  {
    says: 'starts no service on a node where its template, or at least two templates, recently failed to start',
    breaches: (look) =>
      each(
        look.of('start'),
        ({ service, node }) => {
          const [one, target] = [look.services.get(service), look.nodes.get(node)];
          return one !== undefined && target !== undefined && backsOffFrom(look, target, one);
        },
        ({ service, node }) => `${service} on ${node}`,
      ),
  },
  {
    says: 'leaves a service waiting only if it fits on no node after all starts in the plan',
    breaches: (look) =>
      each(
        [...look.planned.waiting.keys()],
        (id) => fitsBeside(look, id, () => true),
        (id) => id,
      ),
  },
  {
    says: 'does not make a service wait for services with a larger priority number',
    breaches: (look) =>
      each(
        [...look.planned.waiting.keys()],
        (id) => {
          const own = priorityOf(look, look.services.get(id));
          return fitsBeside(look, id, (other) => priorityOf(look, other) <= own);
        },
        (id) => id,
      ),
  },
];

/**
 * Returns whether a node has room for a waiting service in addition to the planned starts for which `counts` returns
 * true.
 */
function fitsBeside(look: Look, id: string, counts: (start: ServiceSnapshot) => boolean): boolean {
  const service = look.services.get(id);
  if (service === undefined || (service.held && !service.restarting) || !isStartable(look, service))
    return false;
  const drained = new Set(look.of('drain').map(({ node }) => node));
  return look.snapshot.nodes.some((node) => {
    if (!isOpen(node) || drained.has(node.id) || !hasJava(look, service, node.id)) return false;
    if (backsOffFrom(look, node, service)) return false;
    const starts = startsOn(look, node).filter(counts);
    const freeMb = node.ramMb - look.allocatedMb(node) - sum(starts.map(({ ramMb }) => ramMb));
    return freeMb >= service.ramMb && startingOn(look, node) + starts.length < node.startBudget;
  });
}

/** Returns whether a node accepts services now. */
function isOpen({ state, held, silent }: NodeSnapshot): boolean {
  return state === 'READY' && !held && silent === false;
}

/**
 * Returns whether a service must not be started on a node yet. This is the case if starts of its template have recently
 * failed on the node, or starts of at least two templates for reasons that concern all templates.
 */
export function backsOffFrom(
  { snapshot }: Look,
  { startBackoffs }: NodeSnapshot,
  { template }: ServiceSnapshot,
): boolean {
  const failed = startBackoffs.filter(({ retryAt }) => snapshot.now < retryAt);
  const ofAll = failed.filter(({ concernsOnlyTemplate }) => concernsOnlyTemplate !== true);
  return failed.some((one) => one.template === template) || ofAll.length > 1;
}

/**
 * Returns whether the service's template is ready for a start. The template must exist, and it must have a jar, a
 * complete revision, no problem and no back-off. It must not be paused, unless a person has requested the service.
 */
export function isStartable(look: Look, { template: id, manual }: ServiceSnapshot): boolean {
  const template = look.templates.get(id);
  return (
    template?.problem === null &&
    template.hasJar &&
    !template.changing &&
    template.revision !== null &&
    (template.retryAt === null || template.retryAt <= look.snapshot.now) &&
    (!template.held || manual)
  );
}

export function hasJava(look: Look, { template }: ServiceSnapshot, node: string): boolean {
  return look.templates.get(template)?.bringsJava === true || look.nodes.get(node)?.hasJava === true;
}

function priorityOf({ templates }: Look, service: ServiceSnapshot | undefined): number {
  return templates.get(service?.template ?? '')?.config.priority ?? Infinity;
}

function startsOn(look: Look, { id }: NodeSnapshot): ServiceSnapshot[] {
  return look
    .of('start')
    .filter(({ node }) => node === id)
    .flatMap(({ service }) => look.services.get(service) ?? []);
}

function startingOn({ snapshot }: Look, { id }: NodeSnapshot): number {
  return snapshot.services.filter(
    ({ node, state }) => node === id && (state === 'PREPARING' || state === 'STARTING'),
  ).length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
