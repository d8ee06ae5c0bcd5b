import { plan } from '#master/core/plan.ts';
import type { Action, Plan } from '#master/core/action.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { requestedAgain } from './afterwards.ts';
import { begun } from './events.ts';
import { aNode } from '../master/snapshots.ts';

/** Duration of each operation (ms). */
export interface Durations {
  readonly prepareMs: number;
  readonly startMs: number;
  readonly stopMs: number;
  readonly orderMs: number;
  readonly bootMs: number;
  readonly deleteMs: number;
  /** Time after which each newly started service crashes; must be less than {@link UNTIL_AVAILABLE_MS}. */
  readonly crashMs?: number;
}

/** Durations in a story in which only their sequence matters. */
export const USUAL_DURATIONS: Durations = {
  prepareMs: 5_000,
  startMs: 25_000,
  stopMs: 10_000,
  orderMs: 10_000,
  bootMs: 60_000,
  deleteMs: 10_000,
};

/** Time for which a service must be up before it counts as a replacement (docs/specification.md#service-states). */
const UNTIL_AVAILABLE_MS = 15_000;

/** One round of the control loop at a time of the virtual clock: the snapshot and its plan. */
export interface Tick {
  readonly snapshot: Snapshot;
  readonly planned: Plan;
}

/**
 * Simulates a network on a virtual clock. The real planner decides. This class simulates the control loop, the
 * servers and the provider with their delays. Only tests change the players, through `snapshot`.
 */
export class Clockwork {
  snapshot: Snapshot;
  readonly #durations: Durations;
  /**
   * Time at which each service or node leaves its current state (ms since epoch). The key consists of ID and state.
   */
  readonly #due = new Map<string, number>();

  constructor(snapshot: Snapshot, durations: Durations) {
    this.snapshot = snapshot;
    this.#durations = durations;
  }

  /** Makes a plan, starts its actions, and advances the clock. */
  step(ms: number): Tick {
    const { snapshot } = this;
    const planned = plan(snapshot);
    this.snapshot = this.#later(beginAll(snapshot, planned.actions), snapshot.now + ms);
    return { snapshot, planned };
  }

  #later(snapshot: Snapshot, now: number): Snapshot {
    const nodes = snapshot.nodes.flatMap((node) => this.#nodeLater(node, { from: snapshot.now, now }));
    const states = new Map(nodes.map((node) => [node.id, node.state]));
    const services = snapshot.services.flatMap((service) => {
      const state = service.node === null ? null : (states.get(service.node) ?? 'gone');
      if (state === 'gone') return service.stopping && !service.held ? [] : [requestedAgain(service)];
      // The state of services on a lost node is unknown, so it does not change.
      if (state === 'LOST' || state === 'DELETING') return [service];
      return this.#serviceLater(service, { from: snapshot.now, now });
    });
    const left = new Set(services.map(({ template }) => template));
    const templates = snapshot.templates.filter(({ id, leaving }) => !leaving || left.has(id));
    return { ...snapshot, now, nodes, services, templates };
  }

  #nodeLater(node: NodeSnapshot, time: Span): NodeSnapshot[] {
    const { orderMs, bootMs, deleteMs } = this.#durations;
    if (node.state === 'ORDERED' && this.#isOver(node, orderMs, time)) return [{ ...node, state: 'BOOTING' }];
    if (node.state === 'BOOTING' && this.#isOver(node, bootMs, time)) return [{ ...node, state: 'READY' }];
    return node.state === 'DELETING' && this.#isOver(node, deleteMs, time) ? [] : [node];
  }

  #serviceLater(service: ServiceSnapshot, time: Span): ServiceSnapshot[] {
    const { prepareMs, startMs, stopMs } = this.#durations;
    const { state, stopping, node } = service;
    if (stopping || (service.restarting && node !== null)) {
      if (node !== null && !this.#isOver({ ...service, state: 'stopping' }, stopMs, time)) return [service];
      return node !== null && (service.held || !stopping) ? [requestedAgain(service)] : [];
    }
    if (state === 'PREPARING' && this.#isOver(service, prepareMs, time)) {
      return [{ ...service, state: 'STARTING' }];
    }
    if (state === 'STARTING' && this.#isOver(service, startMs, time)) {
      return [
        { ...service, state: 'RUNNING', unusedSince: time.now, availableAt: time.now + UNTIL_AVAILABLE_MS },
      ];
    }
    return [this.#hasCrashed(service, time) ? requestedAgain(service) : service];
  }

  #hasCrashed(service: ServiceSnapshot, time: Span): boolean {
    const { crashMs } = this.#durations;
    const isNew = service.availableAt !== null && service.availableAt > time.from;
    return crashMs !== undefined && isNew && this.#isOver(service, crashMs, time);
  }

  /**
   * Returns whether a service or node has been in its state for this time (ms). The time starts with the first call
   * for this object and state.
   */
  #isOver({ id, state }: { id: string; state: string }, afterMs: number, { from, now }: Span): boolean {
    const key = `${id} ${state}`;
    const due = this.#due.get(key) ?? from + afterMs;
    if (due > now) this.#due.set(key, due);
    else this.#due.delete(key);
    return due <= now;
  }
}

interface Span {
  readonly from: number;
  readonly now: number;
}

function beginAll(snapshot: Snapshot, actions: readonly Action[]): Snapshot {
  const next = begun(snapshot, actions);
  const did = new Map(actions.flatMap((action) => ('node' in action ? [[action.node, action.kind]] : [])));
  const nodes = next.nodes.map((node): NodeSnapshot => {
    const act = did.get(node.id);
    if (act === 'drain') return { ...node, state: 'DRAINING', drainedByRules: true };
    if (act === 'resume') return { ...node, state: 'READY', drainedByRules: false };
    return act === 'release' ? { ...node, state: 'DELETING' } : node;
  });
  const ordered = actions.flatMap((action) => (action.kind === 'order' ? [action] : []));
  const bought = ordered.map(({ node, ramMb, type }): NodeSnapshot => {
    const rental = { type, since: snapshot.now, hourlyPrice: 0.02 };
    return aNode({ id: node, state: 'ORDERED', ramMb, rental, startBudget: 4 });
  });
  const { market } = snapshot;
  return {
    ...next,
    nodes: [...nodes, ...bought],
    market: market === null ? null : { ...market, nextNumber: market.nextNumber + ordered.length },
  };
}
