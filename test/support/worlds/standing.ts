import { serviceNumber } from '#shared/model/service.ts';
import {
  isReady,
  isUp,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/**
 * The services of a template that run or will run, in two groups. Neither group contains services that are stopping,
 * or that are on lost nodes or on nodes that are being deleted.
 */
export interface Standing {
  /**
   * Services that the rules count. They include services that will be replaced later, because players still join
   * these services. They include paused services that have stopped, but only while no service has to leave.
   */
  readonly stays: readonly ServiceSnapshot[];
  /**
   * Services that are being replaced. They continue to run until their replacements have started, but the rules do
   * not count them.
   */
  readonly goes: readonly ServiceSnapshot[];
}

/**
 * Number of answering services for each service that a rolling restart replaces at the same time. With this number,
 * the services of a template grow by at most a quarter (docs/adr/0011).
 */
const ANSWERING_FOR_ONE_THAT_GOES = 5;

/**
 * Divides a template's services into services that stay and services that are replaced now. It implements
 * docs/specification.md#effect-of-a-change and docs/adr/0011 independently of the master's code. These services are
 * replaced now:
 *
 * - all services of a deleted template
 * - services on a draining node, except restarting services, which start again on another node
 * - the current batch of a rolling restart
 */
export function standingOf(
  { id, leaving }: Pick<TemplateSnapshot, 'id' | 'leaving'>,
  world: Snapshot,
): Standing {
  const states = new Map(world.nodes.map((node) => [node.id, node.state]));
  const stateOf = ({ node }: ServiceSnapshot) => (node === null ? null : (states.get(node) ?? 'LOST'));
  const own = world.services.filter((one) => one.template === id && !one.stopping);
  const alive = own.filter((one) => !['LOST', 'DELETING'].includes(stateOf(one) ?? ''));
  if (leaving) return { stays: [], goes: alive };
  const emptied = alive.filter((one) => stateOf(one) === 'DRAINING' && !one.restarting);
  const replaced = alive.filter(
    (one) => one.retiring && !one.held && !one.restarting && !emptied.includes(one),
  );
  const turns = Math.max(1, Math.floor(alive.filter(isAnswering).length / ANSWERING_FOR_ONE_THAT_GOES));
  const goes = new Set([...emptied, ...replaced.filter(isNoLoss), ...inTurn(replaced).slice(0, turns)]);
  const isCounted = goes.size === 0 && alive.length === own.length ? () => true : mayStart;
  return { stays: alive.filter((one) => !goes.has(one) && isCounted(one)), goes: [...goes] };
}

/** Returns whether a service runs, or starts without a person who resumes its automation. */
function mayStart({ state, held, restarting }: ServiceSnapshot): boolean {
  return state !== 'REQUESTED' || !held || restarting;
}

/**
 * Returns whether a service runs and can be joined. A service that does not answer may be stopped in the same round,
 * so it does not count.
 */
function isAnswering(one: ServiceSnapshot): boolean {
  return isUp(one) && !one.unresponsive;
}

/** Returns whether a service can be replaced at once without affecting players: it is neither ready nor in use. */
function isNoLoss(one: ServiceSnapshot): boolean {
  return !isReady(one) && one.state !== 'IN_USE';
}

/**
 * Returns services in the order in which a rolling restart replaces them: empty services before services in use, and
 * in both groups the newest first.
 */
function inTurn(replaced: readonly ServiceSnapshot[]): ServiceSnapshot[] {
  const newestFirst = replaced.toSorted((a, b) => serviceNumber(b.id) - serviceNumber(a.id));
  return [...newestFirst.filter(isReady), ...newestFirst.filter(({ state }) => state === 'IN_USE')];
}
