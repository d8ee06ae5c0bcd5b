import type { Action } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import type { NodeId, NodeSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { ourContender, SPEC_DEFAULTS } from '#test/bench/simulator/contenders.ts';
import { aNetworkModel } from '#test/bench/simulator/network.ts';
import type { Sample } from '#test/bench/simulator/series.ts';
import { simulate } from '#test/bench/simulator/simulate.ts';
import { makeTrace } from '#test/bench/simulator/trace.ts';

/**
 * Settings of the simulation for the pictures. The network is a fifth of the network that the simulator usually uses,
 * so that single nodes are visible.
 */
export const PICTURED = { trace: 'weekday', peak: 300, seed: 1, upscaling: SPEC_DEFAULTS.upscaling } as const;

export interface NodeEvent {
  /** Time since the start of the day (ms). */
  readonly at: number;
  readonly node: NodeId;
  readonly kind: 'order' | 'drain' | 'resume' | 'release';
}

/** RAM of all nodes at one moment (MB). */
export interface RamMoment {
  readonly at: number;
  /** Allocated RAM of the nodes that count as capacity, which are READY or starting. */
  readonly allocatedMb: number;
  /** Total RAM of the nodes that count as capacity. */
  readonly countedMb: number;
  /** Total RAM of the nodes that are draining or being deleted. */
  readonly leavingMb: number;
}

/** State of one node and number of its services, from the time `at` until the next moment. */
export interface NodeMoment {
  readonly at: number;
  readonly state: NodeSnapshot['state'];
  readonly inUse: number;
  readonly empty: number;
}

export interface SimulatedDay {
  /** One sample per minute; `at` is the time since the start of the day (ms). */
  readonly series: readonly Sample[];
  readonly ram: readonly RamMoment[];
  readonly events: readonly NodeEvent[];
  readonly lives: ReadonlyMap<NodeId, readonly NodeMoment[]>;
  readonly nodeHours: number;
}

/** Simulates one weekday with the master's own planner. Records the state and the actions of each round. */
export function simulateDay(): SimulatedDay {
  const network = aNetworkModel();
  const { trace: name, peak, seed, upscaling } = PICTURED;
  const trace = makeTrace(name, { network, seed, peak });
  const contender = ourContender(network, { ...SPEC_DEFAULTS, upscaling });
  const notes = new Notes(trace.openingMs);
  const { summary, series } = simulate({
    network: contender.network,
    trace,
    seed,
    upscalingAtPercent: upscaling,
    planner: (snapshot) => {
      const planned = plan(snapshot);
      notes.take(snapshot, planned.actions);
      return planned;
    },
  });
  return {
    series: series.map((one) => ({ ...one, at: one.at - trace.openingMs })),
    ram: notes.ram,
    events: notes.events,
    lives: notes.lives,
    nodeHours: summary.nodeHours,
  };
}

/** Collects the records of a simulated day. Stores only changes, so that the lists stay small. */
class Notes {
  readonly ram: RamMoment[] = [];
  readonly events: NodeEvent[] = [];
  readonly lives = new Map<NodeId, NodeMoment[]>();
  readonly #openingMs: number;
  #start: number | null = null;

  constructor(openingMs: number) {
    this.#openingMs = openingMs;
  }

  take(snapshot: Snapshot, actions: readonly Action[]): void {
    this.#start ??= snapshot.now;
    const at = snapshot.now - this.#start - this.#openingMs;
    this.#noteNodes(at, snapshot);
    for (const action of actions) {
      const { kind } = action;
      if (kind === 'request' || kind === 'start' || kind === 'stop') continue;
      this.events.push({ at, node: action.node, kind });
    }
  }

  #noteNodes(at: number, { nodes, services }: Snapshot): void {
    const on = new Map(nodes.map(({ id }) => [id, { inUse: 0, empty: 0, ramMb: 0 }]));
    for (const { node, state, ramMb } of services) {
      const tally = node === null ? undefined : on.get(node);
      if (tally === undefined) continue;
      tally.ramMb += ramMb;
      if (state === 'IN_USE') tally.inUse += 1;
      else tally.empty += 1;
    }
    let [allocatedMb, countedMb, leavingMb] = [0, 0, 0];
    for (const { id, state, ramMb } of nodes) {
      const tally = on.get(id) ?? { inUse: 0, empty: 0, ramMb: 0 };
      const counts = state === 'READY' || state === 'ORDERED' || state === 'BOOTING';
      if (counts) {
        allocatedMb += tally.ramMb;
        countedMb += ramMb;
      } else leavingMb += ramMb;
      const life = this.lives.get(id) ?? [];
      this.lives.set(id, life);
      const { inUse, empty } = tally;
      noteChange(life, { at, state, inUse, empty });
    }
    noteChange(this.ram, { at, allocatedMb, countedMb, leavingMb });
  }
}

/** Adds a moment unless it differs from the previous moment only in its time. */
function noteChange<T extends { readonly at: number }>(moments: T[], moment: T): void {
  const last = moments.at(-1);
  if (last !== undefined && JSON.stringify({ ...last, at: 0 }) === JSON.stringify({ ...moment, at: 0 }))
    return;
  moments.push(moment);
}
