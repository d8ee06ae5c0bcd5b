import fc from 'fast-check';
import type {
  NodeSnapshot,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { serviceRamMb } from '#shared/config/template.ts';
import { aService } from '../master/snapshots.ts';
import { happens, type Happening } from './events.ts';

/** One event in a long history, caused by a server, a person or a node. */
export type Turn =
  | { readonly kind: 'happening'; readonly happening: Happening }
  | { readonly kind: 'service'; readonly act: keyof typeof toServices; readonly which: number }
  | { readonly kind: 'template'; readonly act: keyof typeof toTemplates; readonly which: number }
  | { readonly kind: 'node'; readonly act: keyof typeof toNodes; readonly which: number }
  | { readonly kind: 'nothing' };

/** Changes of services, caused by a person or by the server itself. A stop only begins with its event. */
const toServices = {
  hold: (one: ServiceSnapshot): ServiceSnapshot => ({ ...one, held: true }),
  'put back': (one: ServiceSnapshot): ServiceSnapshot => ({ ...one, held: false }),
  stop: (one: ServiceSnapshot): ServiceSnapshot => ({ ...one, stopping: true }),
  'fall silent': (one: ServiceSnapshot): ServiceSnapshot => ({
    ...one,
    unresponsive: one.state === 'RUNNING' || one.state === 'IN_USE',
  }),
  retire: (one: ServiceSnapshot): ServiceSnapshot => ({ ...one, retiring: one.node !== null && !one.held }),
  stay: (one: ServiceSnapshot): ServiceSnapshot => ({ ...one, retiring: false }),
  restart: (one: ServiceSnapshot): ServiceSnapshot =>
    isUp(one) ? { ...one, restarting: true, manual: true, stopping: false } : one,
};

function isUp({ state }: ServiceSnapshot): boolean {
  return state === 'RUNNING' || state === 'IN_USE';
}

const toTemplates = {
  hold: (one: TemplateSnapshot): TemplateSnapshot => ({ ...one, held: true }),
  'put back': (one: TemplateSnapshot): TemplateSnapshot => ({ ...one, held: false }),
  'delete by drain': (one: TemplateSnapshot): TemplateSnapshot => ({ ...one, leaving: true }),
  'keep after all': (one: TemplateSnapshot): TemplateSnapshot => ({ ...one, leaving: false }),
  'raise the minimum': (one: TemplateSnapshot) => withConfig(one, { minimumRunningServers: 4 }),
  'drop the minimum': (one: TemplateSnapshot) => withConfig(one, { minimumRunningServers: 0 }),
  'lower the cap': (one: TemplateSnapshot) => withConfig(one, { maximumOnlineServers: 1 }),
  'lift the cap': (one: TemplateSnapshot) => withConfig(one, { maximumOnlineServers: -1 }),
  'need more memory': (one: TemplateSnapshot) => withConfig(one, { maxJvmMemory: 3_000 }),
};

const toNodes = {
  hold: (one: NodeSnapshot): NodeSnapshot => ({ ...withoutDrainByRules(one), held: true }),
  'put back': (one: NodeSnapshot): NodeSnapshot => ({ ...one, held: false }),
  lock: (one: NodeSnapshot): NodeSnapshot => ({ ...withoutDrainByRules(one), locked: true }),
  unlock: (one: NodeSnapshot): NodeSnapshot => ({ ...one, locked: false }),
  cordon: (one: NodeSnapshot) => from(['READY'], one, { state: 'CORDONED' }),
  drain: (one: NodeSnapshot) =>
    from(['READY', 'CORDONED', 'DRAINING'], one, {
      state: 'DRAINING',
      drainedByRules: false,
      leaving: false,
    }),
  'give back': (one: NodeSnapshot) =>
    one.rental === null || one.locked
      ? one
      : from(['READY', 'CORDONED', 'DRAINING'], one, {
          state: 'DRAINING',
          drainedByRules: false,
          leaving: true,
        }),
  resume: (one: NodeSnapshot) =>
    from(['CORDONED', 'DRAINING'], one, { state: 'READY', drainedByRules: false, leaving: false }),
  lose: (one: NodeSnapshot) =>
    from(['READY', 'CORDONED', 'DRAINING', 'BOOTING'], one, { state: 'LOST', drainedByRules: false }),
  'find again': (one: NodeSnapshot) => from(['LOST'], one, { state: one.leaving ? 'DRAINING' : 'READY' }),
};

/** Returns the node after a person has paused or protected it, which ends a drain by the rules. */
function withoutDrainByRules(one: NodeSnapshot): NodeSnapshot {
  return one.drainedByRules ? { ...one, state: 'READY', drainedByRules: false } : one;
}

const which = fc.nat({ max: 20 });

export const arbitraryTurn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Turn>({ kind: 'nothing' }) },
  {
    weight: 6,
    arbitrary: fc.record<Turn & { kind: 'happening' }>({
      kind: fc.constant('happening'),
      happening: fc.record<Happening>({
        kind: fc.constantFrom('joins', 'joins', 'leaves', 'declares itself in use', 'crashes', 'ends'),
        which,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record<Turn & { kind: 'service' }>({
      kind: fc.constant('service'),
      act: fc.constantFrom(...(Object.keys(toServices) as (keyof typeof toServices)[])),
      which,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record<Turn & { kind: 'template' }>({
      kind: fc.constant('template'),
      act: fc.constantFrom(...(Object.keys(toTemplates) as (keyof typeof toTemplates)[])),
      which,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record<Turn & { kind: 'node' }>({
      kind: fc.constant('node'),
      act: fc.constantFrom(...(Object.keys(toNodes) as (keyof typeof toNodes)[])),
      which,
    }),
  },
);

/**
 * Returns the network after an event. If the event can happen to no object of the network, the network is unchanged.
 */
export function turned(snapshot: Snapshot, turn: Turn): Snapshot {
  const { services, templates, nodes } = snapshot;
  switch (turn.kind) {
    case 'nothing':
      return snapshot;
    case 'happening':
      return happens(snapshot, turn.happening)?.snapshot ?? snapshot;
    case 'service': {
      const act = toServices[turn.act];
      return { ...snapshot, services: changedAt(services, turn.which, act) };
    }
    case 'template': {
      const changed = changedAt(templates, turn.which, toTemplates[turn.act]);
      return withRamOfToday({ ...snapshot, templates: changed });
    }
    case 'node':
      return { ...snapshot, nodes: changedAt(nodes, turn.which, toNodes[turn.act]) };
  }
}

/** Adds a service that a person has requested. */
export function askedFor(snapshot: Snapshot, template: TemplateSnapshot): Snapshot {
  const { id, nextNumber, config } = template;
  const asked = aService(`${id}-${nextNumber}`, {
    state: 'REQUESTED',
    manual: true,
    ramMb: serviceRamMb(config),
    maxPlayers: config.maxPlayers,
    requestedAt: snapshot.now,
  });
  const templates = snapshot.templates.map((one) =>
    one.id === id ? { ...one, nextNumber: nextNumber + 1 } : one,
  );
  return { ...snapshot, templates, services: [...snapshot.services, asked] };
}

/**
 * Removes all players, requests of people, faults, pauses, protections and minimums. After this change, the rules
 * should stop all services and release all cloud nodes.
 */
export function closingTime(snapshot: Snapshot): Snapshot {
  const off = {
    minimumRunningServers: 0,
    startNewServiceAtTemplateCapacity: 0,
    startNewServiceAtGlobalCapacity: 0,
    killUnusedTooManyServersAfter: 60_000,
  };
  return {
    ...snapshot,
    configureMode: false,
    playersOnProxies: snapshot.playersOnProxies === null ? null : 0,
    templates: snapshot.templates.map((one) => ({ ...withConfig(one, off), held: false })),
    services: snapshot.services.map((one) => ({
      ...one,
      held: false,
      manual: false,
      players: 0,
      unresponsive: false,
      ...(one.state === 'IN_USE' ? { state: 'RUNNING' as const, unusedSince: snapshot.now } : {}),
    })),
    nodes: snapshot.nodes.map((one) => ({
      ...from(['CORDONED', ...(one.rental === null ? (['LOST', 'DRAINING'] as const) : [])], one, {
        state: 'READY',
      }),
      held: false,
      locked: false,
    })),
  };
}

function changedAt<T>(all: readonly T[], index: number, change: (one: T) => T): readonly T[] {
  return all.map((one, i) => (i === index % all.length ? change(one) : one));
}

function withConfig(
  template: TemplateSnapshot,
  config: Partial<TemplateSnapshot['config']>,
): TemplateSnapshot {
  return { ...template, config: { ...template.config, ...config } };
}

/** Sets the RAM of services without a node to the current setting of their template. */
function withRamOfToday(snapshot: Snapshot): Snapshot {
  const configs = new Map(snapshot.templates.map(({ id, config }) => [id, config]));
  const services = snapshot.services.map((one) => {
    const config = configs.get(one.template);
    return one.node !== null || config === undefined ? one : { ...one, ramMb: serviceRamMb(config) };
  });
  return { ...snapshot, services };
}

function from(
  states: readonly NodeSnapshot['state'][],
  node: NodeSnapshot,
  change: Partial<NodeSnapshot>,
): NodeSnapshot {
  return states.includes(node.state) ? { ...node, ...change } : node;
}
