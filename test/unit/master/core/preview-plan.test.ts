import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { previewPlan } from '#master/core/preview-plan.ts';
import { aNetwork } from '#test/bench/kit/network-snapshot.ts';
import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { planPreviewSchema, type PreviewedAction } from '#shared/model/plan-preview.ts';
import {
  aMarket,
  aNode,
  anOffer,
  aRentedNode,
  aService,
  aSnapshot,
  aTemplate,
  NOW,
} from '#test/support/master/snapshots.ts';
import { keep, type Promised } from '#test/support/worlds/check.ts';
import { worldInWords } from '#test/support/worlds/words.ts';
import { world, WORLDS } from '#test/support/worlds/world.ts';

const MINUTE = 60_000;

/** Lists actions as `request t-100 +0`, `start t-100 on local +0`, …, with `+` minutes from now. */
function story(snapshot: Snapshot): string[] {
  return previewPlan(snapshot).actions.map(inShort);
}

function inShort({ kind, service, node, afterMs }: PreviewedAction): string {
  const what = service === null ? node : node === null ? service : `${service} on ${node}`;
  return `${kind} ${what} +${afterMs / MINUTE}`;
}

describe('previewPlan (preview of the coming actions)', () => {
  it('returns no actions for a network that needs no changes', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      services: [aService('t-1')],
    });
    expect(previewPlan(snapshot)).toEqual({
      actions: [],
      complete: true,
      waiting: [],
      unmet: [],
      noOrder: null,
    });
  });

  it('returns the requests and starts of services after the minimum was raised', () => {
    const snapshot = aSnapshot({ templates: [aTemplate('t', { minimumRunningServers: 2 })] });
    expect(story(snapshot)).toEqual([
      'request t-100 +0',
      'request t-101 +0',
      'start t-100 on local +0',
      'start t-101 on local +0',
    ]);
  });

  it('after the minimum was lowered, returns the stop of a service that was unused for long enough', () => {
    const services = [aService('t-1', { unusedSince: NOW - 30_000 }), aService('t-2', { unusedSince: NOW })];
    const templates = [aTemplate('t', { minimumRunningServers: 1 })];
    // The newer service can be stopped in two minutes. The older service can be stopped earlier, but may still be
    // needed then.
    const stops = story(aSnapshot({ templates, services }));
    expect(stops).toHaveLength(1);
    expect(stops[0]).toMatch(/^stop t-[12] \+(1\.5|2)$/);
  });

  it('returns as many requests as the maximum allows, and the number of services that are still missing', () => {
    const templates = [aTemplate('t', { minimumRunningServers: 3, maximumOnlineServers: 1 })];
    const { actions, unmet } = previewPlan(aSnapshot({ templates }));
    expect(actions.map(inShort)).toEqual(['request t-100 +0', 'start t-100 on local +0']);
    expect(unmet).toMatchObject([{ template: 't', unmet: { missing: 2, wait: { reason: 'CAP_REACHED' } } }]);
  });

  it('returns the order of a node if RAM is short, and the start of the waiting service on that node', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      nodes: [aNode({ ramMb: 1_000 })],
      configureMode: false,
      market: aMarket(),
    });
    expect(story(snapshot)).toEqual(['request t-100 +0', 'order node-100 +0', 'start t-100 on node-100 +0']);
  });

  it('returns in configure mode which services wait, and why no node is ordered', () => {
    const { actions, waiting, noOrder } = previewPlan(
      aSnapshot({
        templates: [aTemplate('t', { minimumRunningServers: 1 })],
        nodes: [],
        market: aMarket(),
        configureMode: true,
      }),
    );
    expect(actions.map(inShort)).toEqual(['request t-100 +0']);
    expect(waiting).toMatchObject([{ service: 't-100', wait: { reason: 'CONFIGURE_MODE' } }]);
    expect(noOrder?.reason).toBe('CONFIGURE_MODE');
  });

  it('returns a new start of a failed service at the time when its back-off expires', () => {
    const snapshot = aSnapshot({
      templates: [aTemplate('t', {}, { retryAt: NOW + 2 * MINUTE })],
      services: [aService('t-1', { state: 'REQUESTED', manual: true })],
    });
    expect(story(snapshot)[0]).toBe('start t-1 on local +2');
  });

  it('returns the release of an unneeded node at the end of its paid hour', () => {
    // The node was ordered half an hour ago. Releases begin three minutes before the full hour.
    const snapshot = aSnapshot({ nodes: [aNode(), aRentedNode('node-1')] });
    expect(story(snapshot)).toEqual(['release node-1 +27']);
  });

  it('returns the drain of a node whose services fit elsewhere, and its release when its paid hour ends', () => {
    const rental = { type: 'cpx32', since: NOW - 2 * MINUTE, hourlyPrice: 0.02 };
    const snapshot = aSnapshot({
      templates: [aTemplate('t', { minimumRunningServers: 1 })],
      services: [aService('t-1', { node: 'node-1' })],
      nodes: [aNode({ ramMb: 20_000 }), aRentedNode('node-1', { rental })],
    });
    expect(story(snapshot)).toEqual([
      'drain node-1 +3',
      'request t-100 +3',
      'start t-100 on local +3',
      'stop t-1 +3',
      'release node-1 +55',
    ]);
  });

  it('returns the order of a node once its sold-out type may be tried again', () => {
    const snapshot = aSnapshot({
      services: [aService('t-1', { state: 'REQUESTED', manual: true })],
      templates: [aTemplate('t', { killUnusedTooManyServersAfter: -1 })],
      nodes: [],
      configureMode: false,
      market: aMarket({ offers: [anOffer('cpx32', { soldOutUntil: NOW + 5 * MINUTE })] }),
    });
    expect(story(snapshot)).toEqual(['order node-100 +5', 'start t-1 on node-100 +5']);
  });

  it('returns the order of a node once the pause after a refused order has ended', () => {
    const paused = { message: 'The provider asks for patience.', until: NOW + 3 * MINUTE };
    const snapshot = aSnapshot({
      services: [aService('t-1', { state: 'REQUESTED', manual: true })],
      templates: [aTemplate('t', { killUnusedTooManyServersAfter: -1 })],
      nodes: [],
      configureMode: false,
      market: aMarket({ paused }),
    });
    expect(story(snapshot)).toEqual(['order node-100 +3', 'start t-1 on node-100 +3']);
  });

  it('returns the stop of a service once its replacement has been up for long enough', () => {
    const services = [
      aService('t-1', { retiring: true }),
      aService('t-2', { availableAt: NOW + MINUTE / 5 }),
      aService('u-1', { template: 'u', availableAt: NOW + MINUTE / 10 }),
    ];
    const templates = ['t', 'u'].map((id) => aTemplate(id, { minimumRunningServers: 1 }));
    expect(story(aSnapshot({ templates, services }))).toEqual(['stop t-1 +0.2']);
  });

  it('returns the stop of an unused service although hundreds of services have just come up, one after the other', () => {
    const started = Array.from({ length: 300 }, (_, i) =>
      aService(`t-${i + 2}`, { state: 'IN_USE', availableAt: NOW + i * 40 }),
    );
    const unused = aService('t-1', { unusedSince: NOW });
    const templates = [aTemplate('t', { killUnusedTooManyServersAfter: MINUTE })];
    const { actions, complete } = previewPlan(aSnapshot({ templates, services: [unused, ...started] }));
    expect(actions.map(inShort)).toEqual(['stop t-1 +1']);
    expect(complete).toBe(true);
  });

  it('returns no action for a paused service', () => {
    const services = [aService('t-1', { held: true, unusedSince: NOW - 60 * MINUTE })];
    expect(story(aSnapshot({ templates: [aTemplate('t')], services }))).toEqual([]);
  });
});

const promises: readonly Promised<Snapshot>[] = [
  {
    says: 'matches the schema of the admin API',
    breaches: (snapshot) =>
      planPreviewSchema.safeParse(previewPlan(snapshot)).error?.issues.map(String) ?? [],
  },
  {
    says: 'begins with the current actions of the rules, in the same order',
    breaches: (snapshot) => {
      const now = plan(snapshot).actions.map(({ kind, cause }) => `${kind} ${cause}`);
      const previewed = previewPlan(snapshot).actions.map(({ kind, cause }) => `${kind} ${cause}`);
      return now.filter((line, i) => previewed[i] !== line);
    },
  },
  {
    says: 'is in chronological order and covers at most one hour',
    breaches: (snapshot) => {
      const { actions } = previewPlan(snapshot);
      return actions
        .filter(({ afterMs }, i) => afterMs < (actions[i - 1]?.afterMs ?? 0) || afterMs > 60 * MINUTE)
        .map(inShort);
    },
  },
  {
    says: 'contains a bounded number of actions',
    breaches: (snapshot) => {
      const { actions } = previewPlan(snapshot);
      const most = 40 * (1 + snapshot.services.length + snapshot.templates.length + snapshot.nodes.length);
      return actions.length > most ? [`${actions.length} actions`] : [];
    },
  },
];

describe('the preview of any network', () => {
  keep(promises, {
    of: world.map((one) => ({ ...one, upscalingAtPercent: Math.max(20, one.upscalingAtPercent) })),
    numRuns: Math.ceil(WORLDS / 10),
    inWords: worldInWords,
  });

  it('is the same for the same snapshot, and does not change the snapshot', () => {
    fc.assert(
      fc.property(world, (snapshot) => {
        const before = structuredClone(snapshot);
        expect(previewPlan(snapshot)).toEqual(previewPlan(before));
        expect(snapshot).toEqual(before);
      }),
      { numRuns: Math.ceil(WORLDS / 20) },
    );
  });
});

describe('previewPlan for ten thousand services', () => {
  it('returns only a part of the actions, and marks the preview as incomplete', () => {
    const services = Array.from({ length: 10_000 }, (_, i) => aService(`t-${i + 1}`, { ramMb: 1 }));
    // Stop each service at a different time, so that there are more moments than the limit allows.
    const unused = services.map((service, i) => ({ ...service, unusedSince: NOW + i * 100 }));
    const previewed = previewPlan(aSnapshot({ templates: [aTemplate('t')], services: unused }));
    expect(previewed.complete).toBe(false);
    expect(previewed.actions.length).toBeGreaterThan(0);
  });

  it.each([20, 60])(
    'returns a limited number of actions for tens of thousands of requests on %i nodes',
    (nodes) => {
      const network = aNetwork(nodes);
      const [first, ...others] = network.templates;
      if (first === undefined) throw new Error('a network has templates');
      const config = { ...first.config, startNewServiceAtTemplateCapacity: 1, maxPlayers: 1 };
      const previewed = previewPlan({
        ...network,
        templates: [{ ...first, config }, ...others],
        market: null,
      });
      expect(previewed.actions.length).toBeLessThan(7_000);
    },
  );
});
