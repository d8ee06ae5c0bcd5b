import fc from 'fast-check';
import { isPlaced, type Market, type NodeSnapshot, type Snapshot } from '#master/core/snapshot/snapshot.ts';
import { arbitraryMarket } from './market.ts';
import { arbitraryNode, type WishedNode } from './nodes.ts';
import { arbitraryService, toService, type WishedService } from './services.ts';
import { arbitraryTemplate, toTemplate, type WishedTemplate } from './templates.ts';
import { aSnapshot } from '../master/snapshots.ts';

/**
 * Consistent networks: players fit on their servers, services fit into the RAM of their nodes, and services without a
 * node are REQUESTED. The networks may contain unusual states, such as faulty templates, lost nodes, lowered maximums
 * and sold-out providers.
 */
export const world: fc.Arbitrary<Snapshot> = worldOf({ troubles: true });

/**
 * Networks in which nothing is broken, paused or leaving, so that the number of services that the rules want is
 * easy to compute.
 */
export const calmWorld: fc.Arbitrary<Snapshot> = worldOf({ troubles: false });

/** Number of networks for the nightly run, which uses new random networks. Undefined in other runs. */
const wished = process.env['OVERWORLD_WORLDS'];

/** Number of networks with which each guarantee is checked. */
export const WORLDS = Number(wished ?? 2_000);

// Except in the nightly run, use a fixed seed, so that the result of a test depends on the change and not on chance.
if (wished === undefined) fc.configureGlobal({ seed: 20_261 });

/**
 * Number of networks that are simulated for hours. The simulation of one network takes as long as hundreds of single
 * plans.
 */
export const LONG_WORLDS = Math.ceil(WORLDS / 20);

interface Wishes {
  readonly templates: readonly (readonly [WishedTemplate, readonly WishedService[]])[];
  readonly orphans: readonly WishedService[];
  readonly own: readonly WishedNode[];
  readonly rented: readonly WishedNode[];
  readonly market: Market | null;
  readonly maxOnlinePlayers: number;
  readonly playersOnProxies: number | null;
  readonly configureMode: boolean;
  readonly upscalingAtPercent: number;
}

function worldOf({ troubles }: { readonly troubles: boolean }): fc.Arbitrary<Snapshot> {
  return fc
    .record<Wishes>({
      templates: fc.array(
        fc.tuple(arbitraryTemplate(troubles), fc.array(arbitraryService(troubles), { maxLength: 5 })),
        { maxLength: 4 },
      ),
      orphans: fc.array(arbitraryService(troubles), { maxLength: troubles ? 1 : 0 }),
      own: fc.array(arbitraryNode({ rented: false, troubles }), { maxLength: 2 }),
      rented: fc.array(arbitraryNode({ rented: true, troubles }), { maxLength: 3 }),
      market: arbitraryMarket(troubles),
      maxOnlinePlayers: fc.integer({ min: 0, max: 100 }),
      playersOnProxies: fc.option(fc.nat({ max: 100 })),
      configureMode: troubles ? fc.integer({ min: 0, max: 3 }).map((n) => n === 3) : fc.constant(false),
      upscalingAtPercent: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(80, 100, 60) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 100 }) },
      ),
    })
    .map(toWorld);
}

function toWorld(wishes: Wishes): Snapshot {
  const nodes: NodeSnapshot[] = [
    ...wishes.own.map((node, i): NodeSnapshot => ({ id: `own${i}`, ...node })),
    ...wishes.rented.map((node, i): NodeSnapshot => ({ id: `node-${i + 1}`, ...node })),
  ];
  const free = new Map(nodes.map((node) => [node.id, node.ramMb]));
  const of = (wished: WishedTemplate | null, template: string, services: readonly WishedService[]) =>
    services.map((service, s) => {
      const made = toService(service, { id: `${template}-${s + 1}`, template: wished, nodes, free });
      if (isPlaced(made)) free.set(made.node, (free.get(made.node) ?? 0) - made.ramMb);
      return made;
    });
  return aSnapshot({
    templates: wishes.templates.map(([template, services], t) =>
      toTemplate(template, { id: `t${t}`, nextNumber: services.length + 1 }),
    ),
    services: [
      ...wishes.templates.flatMap(([template, services], t) => of(template, `t${t}`, services)),
      ...of(null, 'gone', wishes.orphans),
    ],
    nodes,
    market: wishes.market,
    maxOnlinePlayers: wishes.maxOnlinePlayers,
    playersOnProxies: wishes.playersOnProxies,
    awaitsReports: false,
    configureMode: wishes.configureMode,
    upscalingAtPercent: wishes.upscalingAtPercent,
  });
}
