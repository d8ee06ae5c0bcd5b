import type { TemplateId } from '#shared/model/template.ts';
import type { NodeId, NodeSnapshot, Snapshot, StartBackoff } from '../snapshot/snapshot.ts';

/** As many templates failing on one node at the same time say that no other one would start there either. */
const TEMPLATES_UNTIL_CLOSED = 2;

/**
 * A node that backs off for at least this long, ms, is not waited for: another one is ordered. A new node takes about
 * two minutes to become ready and is paid for an hour, so it would come too late for a shorter wait.
 */
const LONG_BACKOFF_MS = 120_000;

/**
 * What keeps services of a template from starting on a node now; null when nothing does. One template alone may be at
 * fault itself, as when its files are larger than the disk: the node stays open to the others until a second one fails.
 */
export function backoffOf(
  { startBackoffs }: Pick<NodeSnapshot, 'startBackoffs'>,
  template: TemplateId,
  now: number,
): StartBackoff | null {
  const active = activeBackoffs(startBackoffs, now);
  const own = active.find((one) => one.template === template);
  if (own !== undefined) return own;
  // The one whose end opens the node to all others again.
  return active.at(TEMPLATES_UNTIL_CLOSED - 1) ?? null;
}

/** Those that have not ended, the last to end first. */
export function activeBackoffs(backoffs: readonly StartBackoff[], now: number): readonly StartBackoff[] {
  return backoffs.length === 0
    ? backoffs
    : backoffs
        .filter(({ retryAt }) => retryAt > now)
        .sort((a, b) => b.retryAt - a.retryAt || (a.template < b.template ? -1 : 1));
}

/** True for a back-off that is longer than a new node would take. */
export function isLong({ since, retryAt }: StartBackoff): boolean {
  return retryAt - since >= LONG_BACKOFF_MS;
}

const NONE: ReadonlySet<NodeId> = new Set();

/** Nodes on which services of a template cannot start now, as their starts there failed. */
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
