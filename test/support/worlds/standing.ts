import { serviceNumber } from '#shared/model/service.ts';
import {
  isReady,
  isUp,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/**
 * The services of a template that run or will run, in two groups. Services that are stopping, or on nodes that are
 * lost or being deleted, are in neither group.
 */
export interface Standing {
  /** Services that the rules count on. They include those that will be replaced later, which players still join. */
  readonly stays: readonly ServiceSnapshot[];
  /**
   * Services that are being replaced. They keep running until their replacements have started, but the rules do not
   * count on them.
   */
  readonly goes: readonly ServiceSnapshot[];
}

/**
 * Of this number of answering services, a rolling restart replaces one at a time, so that a template never has more
 * than a quarter more services (docs/adr/0011).
 */
const ANSWERING_FOR_ONE_THAT_GOES = 5;

/**
 * Divides a template's services into those that stay and those that are replaced now. Replaced now are all services of
 * a deleted template, services on a draining node (except restarting ones, which start elsewhere), and the current
 * batch of a rolling restart. This implements docs/specification.md#effect-of-a-change and docs/adr/0011 independently
 * of the master's code.
 */
export function standingOf(
  { id, leaving }: Pick<TemplateSnapshot, 'id' | 'leaving'>,
  world: Snapshot,
): Standing {
  const states = new Map(world.nodes.map((node) => [node.id, node.state]));
  const stateOf = ({ node }: ServiceSnapshot) => (node === null ? null : (states.get(node) ?? 'LOST'));
  const alive = world.services.filter(
    (one) => one.template === id && !one.stopping && !['LOST', 'DELETING'].includes(stateOf(one) ?? ''),
  );
  if (leaving) return { stays: [], goes: alive };
  const emptied = alive.filter((one) => stateOf(one) === 'DRAINING' && !one.restarting);
  const replaced = alive.filter(
    (one) => one.retiring && !one.held && !one.restarting && !emptied.includes(one),
  );
  const turns = Math.max(1, Math.floor(alive.filter(isAnswering).length / ANSWERING_FOR_ONE_THAT_GOES));
  const goes = new Set([...emptied, ...replaced.filter(isNoLoss), ...inTurn(replaced).slice(0, turns)]);
  return { stays: alive.filter((one) => !goes.has(one)), goes: [...goes] };
}

/**
 * Returns whether a service runs and can be joined. One that does not answer may be stopped in the same round, so
 * it does not count.
 */
function isAnswering(one: ServiceSnapshot): boolean {
  return isUp(one) && !one.unresponsive;
}

/** Returns whether a service can be replaced at once without affecting players: it is neither ready nor in use. */
function isNoLoss(one: ServiceSnapshot): boolean {
  return !isReady(one) && one.state !== 'IN_USE';
}

/**
 * Returns services in the sequence in which a rolling restart replaces them: empty ones before those in use, and in
 * both groups the newest first.
 */
function inTurn(replaced: readonly ServiceSnapshot[]): ServiceSnapshot[] {
  const newestFirst = replaced.toSorted((a, b) => serviceNumber(b.id) - serviceNumber(a.id));
  return [...newestFirst.filter(isReady), ...newestFirst.filter(({ state }) => state === 'IN_USE')];
}
