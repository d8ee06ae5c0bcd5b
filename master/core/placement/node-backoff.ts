import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId, NodeSnapshot, Snapshot, StartBackoff } from '../snapshot/snapshot.ts';

/**
 * Number of templates that must back off from a node at the same time before the node is closed to all other
 * templates as well.
 */
const TEMPLATES_UNTIL_CLOSED = 2;

/**
 * Minimum back-off for which another node is ordered instead of waiting (ms). A new node takes about two minutes to
 * become ready and is paid for an hour, so it would come too late for shorter waits.
 */
const LONG_BACKOFF_MS = 120_000;

/**
 * Returns the back-off that currently keeps services of a template from starting on a node; null if there is none.
 * After failures of a single template, the node stays open to other templates, because the template itself may be at
 * fault, for example with files larger than the disk. As soon as a second template fails, the node is closed to all.
 * Failures that concern only their own template do not count for other templates.
 *
 * Example: after failed starts of `lobby`, only `lobby` backs off. After failed starts of `lobby` and `arena`, every
 * template backs off.
 */
export function backoffOf(
  { startBackoffs }: Pick<NodeSnapshot, 'startBackoffs'>,
  template: TemplateId,
  now: number,
): StartBackoff | null {
  const active = activeBackoffs(startBackoffs, now);
  const own = active.find((one) => one.template === template);
  if (own !== undefined) return own;
  const concernAll = active.filter(({ concernsOnlyTemplate = false }) => !concernsOnlyTemplate);
  // When this back-off expires, fewer than two templates back off, so the node is open to all others again.
  return concernAll.at(TEMPLATES_UNTIL_CLOSED - 1) ?? null;
}

/** Returns the back-offs that have not expired, sorted by expiry time, the latest first. */
export function activeBackoffs(backoffs: readonly StartBackoff[], now: number): readonly StartBackoff[] {
  return backoffs.length === 0
    ? backoffs
    : backoffs
        .filter(({ retryAt }) => retryAt > now)
        .sort((a, b) => b.retryAt - a.retryAt || (a.template < b.template ? -1 : 1));
}

/**
 * Reports whether a back-off lasts at least as long as a new node needs to become ready (2 min).
 *
 * Example: failed at 10:00, next attempt at 10:02 → true; next attempt at 10:01 → false.
 */
export function isLong({ since, retryAt }: StartBackoff): boolean {
  return retryAt - since >= LONG_BACKOFF_MS;
}

/**
 * Number of nodes that fail in the same way, from which the cause is probably not a node. A further node would probably
 * fail, too, so none is ordered.
 */
export const NODES_UNTIL_COMMON_CAUSE = 3;

const NONE: ReadonlySet<NodeId> = new Set();

/**
 * Returns the nodes whose back-off for a template is so long that another node is ordered instead. Returns none if
 * starts of the template fail on three nodes or more. Otherwise, node after node would be ordered, for example for a
 * version of Java that no node can install.
 */
export function givenUpNodes(
  snapshot: Pick<Snapshot, 'nodes' | 'now'>,
  template: TemplateId,
): ReadonlySet<NodeId> {
  const givenUp = closedNodes(snapshot, template, isLong);
  const own = closedNodes(snapshot, template, (one) => one.template === template && isLong(one));
  return own.size < NODES_UNTIL_COMMON_CAUSE ? givenUp : NONE;
}

/**
 * Returns the nodes on which services of a template cannot start now because earlier starts failed there.
 *
 * @param counts returns whether a node with the given back-off is included; by default, every such node is
 */
export function closedNodes(
  { nodes, now }: Pick<Snapshot, 'nodes' | 'now'>,
  template: TemplateId,
  counts: (backoff: StartBackoff) => boolean = () => true,
): ReadonlySet<NodeId> {
  let closed: Set<NodeId> | null = null;
  for (const node of nodes) {
    const backoff = node.startBackoffs.length === 0 ? null : backoffOf(node, template, now);
    if (backoff !== null && counts(backoff)) (closed ??= new Set()).add(node.id);
  }
  return closed ?? NONE;
}
