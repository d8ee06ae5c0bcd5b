import { serviceNumber } from '#shared/model/service.ts';
import {
  isReady,
  isUp,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/**
 * A template's services that run or will run. Stopping ones, and those on nodes that are lost or being deleted, are
 * left out.
 */
export interface Standing {
  /** Services that the rules count on. One that waits to be replaced is among them: it runs, and players join it. */
  readonly stays: readonly ServiceSnapshot[];
  /** Services to be replaced now. They serve until then, and the rules want what is missing without them. */
  readonly goes: readonly ServiceSnapshot[];
}

/**
 * Number of answering services per replaced one: with the replacements there are at most a quarter more
 * (docs/adr/0011).
 */
const ANSWERING_FOR_ONE_THAT_GOES = 5;

/**
 * Decides which services of a template stay and which leave: all of a deleted template, those on a draining node
 * (except restarting ones, which start elsewhere), and the current batch of a rolling restart. Written again from
 * docs/specification.md#effect-of-a-change and docs/adr/0011.
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
 * Reports whether a service is up and joinable. One that does not answer may be stopped in the same round and does
 * not count.
 */
function isAnswering(one: ServiceSnapshot): boolean {
  return isUp(one) && !one.unresponsive;
}

/** Reports whether a service is not up yet or does not answer, and has no players. It leaves at once. */
function isNoLoss(one: ServiceSnapshot): boolean {
  return !isReady(one) && one.state !== 'IN_USE';
}

/** Sorts unused services before those in use, and the newest first. */
function inTurn(replaced: readonly ServiceSnapshot[]): ServiceSnapshot[] {
  const newestFirst = replaced.toSorted((a, b) => serviceNumber(b.id) - serviceNumber(a.id));
  return [...newestFirst.filter(isReady), ...newestFirst.filter(({ state }) => state === 'IN_USE')];
}
