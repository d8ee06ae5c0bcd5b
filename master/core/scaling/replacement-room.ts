import type { Wait } from '#shared/model/wait.ts';
import { affordableCount, budgetOf } from '../fleet/budget.ts';
import { eligibleOffers } from '../fleet/choose-server-type.ts';
import { whyNoOrder } from '../fleet/spending.ts';
import { closedNodes } from '../placement/node-backoff.ts';
import { isOpen } from '../placement/node-capacities.ts';
import { ramOf } from '../snapshot/capacity.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from '../snapshot/snapshot.ts';

/**
 * Reports whether another service of the template would find a node once a service has stopped: on an open node,
 * where the stopped service leaves its RAM, or on a node that may be ordered. Otherwise, a service that stops before
 * its replacement is ready would have no replacement.
 *
 * Example: a node of 6,000 MB with the service (3,000 MB). `maxJvmMemory` was raised, so the replacement takes
 * 4,471 MB → true. With another service of 3,000 MB on the node → false.
 */
export function hasRoomAfter(
  service: ServiceSnapshot,
  template: TemplateSnapshot,
  index: SnapshotIndex,
): boolean {
  const neededMb = ramOf(template);
  const closed = closedNodes(index.snapshot, template.id);
  const fits = index.snapshot.nodes.some((node) => {
    if (!isOpen(node) || closed.has(node.id) || !(node.hasJava || template.bringsJava)) return false;
    const freedMb = service.node === node.id ? service.ramMb : 0;
    return node.ramMb - index.onNode(node.id).allocatedMb + freedMb >= neededMb;
  });
  return fits || canOrder(neededMb, index.snapshot);
}

/**
 * Explains that no service of the template is replaced, because no node has room for the replacement
 * ({@link hasRoomAfter}). Null if no service is to be replaced, or if there is room.
 */
export function whyNoRoom(template: TemplateSnapshot, index: SnapshotIndex): Wait | null {
  const staying = index.ofTemplate(template.id).leaving.filter((one) => index.leaving(one) !== 'lost');
  if (staying.length === 0 || staying.some((one) => hasRoomAfter(one, template, index))) return null;
  const message = `No node has room for a replacement of a service of template ${template.id} (${ramOf(template)} MB), so the service keeps running. Stop other services, or add a node.`;
  return { reason: 'RAM_FULL', message, until: null };
}

function canOrder(neededMb: number, snapshot: Snapshot): boolean {
  const { market, configureMode, now } = snapshot;
  if (market === null) return false;
  const facts = { configureMode, paused: market.paused, noOffer: null, overBudget: null, coming: 0 };
  if (whyNoOrder(facts, now) !== null) return false;
  const budget = budgetOf(snapshot);
  return eligibleOffers(market, now).some(
    ({ ramMb, hourlyPrice }) => ramMb >= neededMb && affordableCount(budget, hourlyPrice, now) >= 1,
  );
}
