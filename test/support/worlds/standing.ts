import { serviceNumber } from '#shared/model/service.ts';
import {
  isReady,
  isUp,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/** A template's services that run or will: not those that are stopping, or on a node that is lost or being deleted. */
export interface Standing {
  /** What the rules count on. One that waits for its turn to be replaced is among them: it runs, and players join it. */
  readonly stays: readonly ServiceSnapshot[];
  /** What is to be replaced now: it serves until then, and the rules want what they lack without it. */
  readonly goes: readonly ServiceSnapshot[];
}

/** A quarter more at most, replacements included: for four that stay one goes (docs/adr/0011). */
const ANSWERING_FOR_ONE_THAT_GOES = 5;

/**
 * Which services of a template stay, and which go: all of one that is being deleted, what is on a node that is being
 * emptied (unless it begins again, elsewhere then), and of those that a person has replaced the ones whose turn it is. Said
 * once more from docs/specification.md#effect-of-a-change and docs/adr/0011.
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

/** Up, and joinable: one that does not answer may be stopped in the same round, and no turn is counted for it. */
function isAnswering(one: ServiceSnapshot): boolean {
  return isUp(one) && !one.unresponsive;
}

/** Not up yet, or without an answer, and nobody on it: it goes without a turn. */
function isNoLoss(one: ServiceSnapshot): boolean {
  return !isReady(one) && one.state !== 'IN_USE';
}

/** What nobody uses before what is in use; of these the newest first. */
function inTurn(replaced: readonly ServiceSnapshot[]): ServiceSnapshot[] {
  const newestFirst = replaced.toSorted((a, b) => serviceNumber(b.id) - serviceNumber(a.id));
  return [...newestFirst.filter(isReady), ...newestFirst.filter(({ state }) => state === 'IN_USE')];
}
