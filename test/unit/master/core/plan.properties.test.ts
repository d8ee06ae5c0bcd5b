import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { Plan } from '#master/core/action.ts';
import { allocatedMb, ramOf } from '#master/core/capacity.ts';
import { plan } from '#master/core/plan.ts';
import { isReady, servicesOf, type Snapshot } from '#master/core/snapshot.ts';
import { serviceNumber } from '#shared/model/service.ts';
import { aNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/snapshots.ts';

/** The promises of design 5 on generated worlds. `OVERWORLD_WORLDS` raises their number for a nightly run. */
const numRuns = Number(process.env['OVERWORLD_WORLDS'] ?? 1_000);

const percent = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 }));

const worldTemplate = fc.record({
  minimumRunningServers: fc.integer({ min: 0, max: 4 }),
  maximumOnlineServers: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 6 })),
  startNewServiceAtTemplateCapacity: percent,
  startNewServiceAtGlobalCapacity: percent,
  priority: fc.integer({ min: -2, max: 2 }),
  maxJvmMemory: fc.integer({ min: 256, max: 4_096 }),
  killUnusedTooManyServersAfter: fc.constantFrom(-1, 0, 60_000),
  maxPlayers: fc.integer({ min: 1, max: 20 }),
});

const worldService = fc.record({
  state: fc.constantFrom('REQUESTED', 'PREPARING', 'STARTING', 'RUNNING', 'IN_USE'),
  players: fc.integer({ min: 1, max: 20 }),
  unusedForMs: fc.integer({ min: 0, max: 200_000 }),
  stopping: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  unresponsive: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  manual: fc.boolean(),
});

const world: fc.Arbitrary<Snapshot> = fc
  .record({
    templates: fc.array(fc.tuple(worldTemplate, fc.array(worldService, { maxLength: 5 })), { maxLength: 4 }),
    nodes: fc.array(
      fc.record({ ramMb: fc.integer({ min: 0, max: 20_000 }), startBudget: fc.integer({ min: 0, max: 5 }) }),
      { maxLength: 3 },
    ),
    maxOnlinePlayers: fc.integer({ min: 0, max: 100 }),
  })
  .map(({ templates, nodes, maxOnlinePlayers }) => {
    const nodeSnapshots = nodes.map((node, i) => aNode({ id: `n${i}`, ...node }));
    const services = templates.flatMap(([config, ofTemplate], t) =>
      ofTemplate.map((service, s) => {
        const up = service.state === 'RUNNING' || service.state === 'IN_USE';
        return aService(`t${t}-${s + 1}`, {
          state: service.state,
          players: service.state === 'IN_USE' ? Math.min(service.players, config.maxPlayers) : 0,
          maxPlayers: config.maxPlayers,
          ramMb: config.maxJvmMemory + 375,
          node:
            service.state === 'REQUESTED'
              ? null
              : (nodeSnapshots[s % Math.max(1, nodes.length)]?.id ?? 'lost'),
          unusedSince: service.state === 'RUNNING' ? NOW - service.unusedForMs : null,
          stopping: service.stopping,
          unresponsive: up && service.unresponsive,
          manual: service.manual,
        });
      }),
    );
    return aSnapshot({
      templates: templates.map(([config], t) => aTemplate(`t${t}`, { minJvmMemory: 256, ...config })),
      nodes: nodeSnapshots,
      services,
      maxOnlinePlayers,
    });
  });

/** The world once a plan is carried out and everything on its way has arrived; players and time stand still. */
function afterwards(snapshot: Snapshot, { actions }: Plan): Snapshot {
  const stopped = new Set(actions.flatMap((action) => (action.kind === 'stop' ? [action.service] : [])));
  const started = new Map(
    actions.flatMap((action) => (action.kind === 'start' ? [[action.service, action.node]] : [])),
  );
  const templates = new Map(snapshot.templates.map((template) => [template.id, template]));
  const requested = actions.flatMap((action) => {
    const template = action.kind === 'request' ? templates.get(action.template) : undefined;
    if (template === undefined) return [];
    const { maxPlayers } = template.config;
    return [aService(action.service, { state: 'REQUESTED', ramMb: ramOf(template), maxPlayers })];
  });
  const services = [...snapshot.services, ...requested]
    .filter((service) => !service.stopping && !stopped.has(service.id))
    .map((service) => {
      const node = started.get(service.id) ?? service.node;
      if (node === null) return service;
      const arrives = service.state !== 'RUNNING' && service.state !== 'IN_USE';
      return arrives ? { ...service, node, state: 'RUNNING' as const, unusedSince: snapshot.now } : service;
    });
  return {
    ...snapshot,
    services,
    templates: snapshot.templates.map((template) => ({
      ...template,
      nextNumber: Math.max(
        template.nextNumber,
        ...services.filter((s) => s.template === template.id).map((s) => serviceNumber(s.id) + 1),
      ),
    })),
  };
}

function always(says: string, holds: (snapshot: Snapshot, planned: Plan) => boolean): void {
  it(says, () => {
    fc.assert(
      fc.property(world, (snapshot) => holds(snapshot, plan(snapshot))),
      { numRuns },
    );
  });
}

describe('plan, on any world', () => {
  always('never stops a service in use', (snapshot, { actions }) => {
    const inUse = new Set(snapshot.services.filter((s) => s.state === 'IN_USE').map((s) => s.id));
    return actions.every((action) => action.kind !== 'stop' || !inUse.has(action.service));
  });

  always('never goes above maximumOnlineServers by own action', (snapshot, { actions }) =>
    snapshot.templates.every(({ id, config }) => {
      const requests = actions.filter((action) => action.kind === 'request' && action.template === id).length;
      const existing = servicesOf(snapshot, id).length;
      return (
        config.maximumOnlineServers === -1 ||
        requests === 0 ||
        existing + requests <= config.maximumOnlineServers
      );
    }),
  );

  always('never goes below the minimum by own action, unless the cap says so', (snapshot, { actions }) =>
    snapshot.templates.every(({ id, config }) => {
      const services = servicesOf(snapshot, id);
      const stops = new Set(actions.flatMap((action) => (action.kind === 'stop' ? [action.service] : [])));
      const before = services.filter(isReady).length;
      const after = services.filter((s) => isReady(s) && !stops.has(s.id)).length;
      const cap = config.maximumOnlineServers;
      const overCap = cap !== -1 && services.filter((s) => !s.stopping).length > cap;
      return overCap || after >= Math.min(before, config.minimumRunningServers);
    }),
  );

  always('never over-commits the RAM of a node', (snapshot, { actions }) =>
    snapshot.nodes.every((node) => {
      const allocated = allocatedMb(node, snapshot.services);
      const added = actions.reduce((sum, action) => {
        if (action.kind !== 'start' || action.node !== node.id) return sum;
        return sum + (snapshot.services.find((s) => s.id === action.service)?.ramMb ?? Number.NaN);
      }, 0);
      return added === 0 || allocated + added <= node.ramMb;
    }),
  );

  always('starts or explains every requested service', (snapshot, { actions, waiting }) => {
    const acted = new Set(actions.map((action) => action.service));
    return snapshot.services
      .filter((s) => s.state === 'REQUESTED' && !s.stopping)
      .every((s) => acted.has(s.id) !== waiting.has(s.id));
  });

  always('does each thing once: no service has two actions, no new id is taken', (snapshot, { actions }) => {
    const ids = actions.map((action) => action.service);
    const taken = new Set(snapshot.services.map((s) => s.id));
    return (
      new Set(ids).size === ids.length &&
      actions.every((action) => action.kind !== 'request' || !taken.has(action.service))
    );
  });

  always('reaches a fixed point for a constant load', (snapshot, first) => {
    let [current, planned] = [snapshot, first];
    // Stops first, then requests, then starts as far as budgets allow: each round is closer.
    for (let round = 0; round < 40 && planned.actions.length > 0; round++) {
      current = afterwards(current, planned);
      planned = plan(current);
    }
    return planned.actions.length === 0;
  });

  always('is the same for the same snapshot', (snapshot, planned) => {
    const again = plan(structuredClone(snapshot));
    return (
      JSON.stringify([again.actions, [...again.waiting]]) ===
      JSON.stringify([planned.actions, [...planned.waiting]])
    );
  });
});
