import { join } from 'node:path';
import { expect, it } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { joinProblems } from '#master/ingress/join-facts.ts';
import { isUnconfirmed, newRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { noBalancer, noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it.each([
  ['READY', []],
  ['LOST', ['NO_FALLBACK lobby']],
] as const)(
  'counts a fallback that has not answered since a restart of the master only while its node is not lost (%s)',
  async (state, want) => {
    const config = templateConfigSchema.parse({ isProxy: false, isFallback: true });
    const record = newRecord({
      id: 'lobby-1',
      template: 'lobby',
      requestedAt: 1,
      cause: 'test',
      manual: false,
    });
    Object.assign(record, { node: 'node-1', placed: startedFrom(serviceSpec({ id: 'lobby-1' })) });
    expect(isUnconfirmed(record)).toBe(true);
    const known = {
      ...{ records: { all: [record], get: () => record }, pinger: { state: () => null }, now: () => 1 },
      ...{ link: noLink(), balancer: noBalancer(), proxies: noProxies() },
      overrides: await Overrides.open(join(temporaryFolder(), 'holds.json')),
      registry: { nodes: () => [aRentedNode({ state })] },
      templates: { state: () => ({ jar: {} }) },
      config: {
        master: { config: masterConfigSchema.parse({}) },
        templates: new Map([['lobby', { state: { config } }]]),
        template: () => ({ config }),
      },
    };
    // Only these parts are read.
    const problems = joinProblems(known as never, []).filter(({ template }) => template === 'lobby');
    expect(problems.map(({ reason, template }) => `${reason} ${template}`)).toEqual(want);
  },
);

it.each([
  { says: 'has not connected within 20 s', times: { upAt: 1 }, now: 20_002, want: ['PROXIES_UNLINKED'] },
  { says: 'may still connect', times: { upAt: 1 }, now: 20_001, want: [] },
  {
    says: 'may connect again after a restart of the master',
    times: { upAt: 1, adoptedAt: 10_000 },
    now: 30_000,
    want: [],
  },
])(
  'reports that players cannot join only if the plugin of the only proxy has failed to connect: it $says',
  async ({ times, now, want }) => {
    const config = templateConfigSchema.parse({});
    const record = newRecord({
      id: 'gate-1',
      template: 'gate',
      requestedAt: 1,
      cause: 'test',
      manual: false,
    });
    const placed = startedFrom({ ...serviceSpec({ id: 'gate-1', isProxy: true }), plugin: '1.0.0' });
    Object.assign(record, { node: 'node-1', state: 'RUNNING', startedAt: 1, placed, ...times });
    const known = {
      ...{ records: { all: [record], get: () => record }, pinger: { state: () => null }, now: () => now },
      ...{ link: noLink(), balancer: noBalancer(), proxies: { ...noProxies(), kindOf: () => 'velocity' } },
      overrides: await Overrides.open(join(temporaryFolder(), 'holds.json')),
      registry: { nodes: () => [aRentedNode({ state: 'READY' })] },
      templates: { state: () => ({ jar: {} }) },
      config: {
        master: { config: masterConfigSchema.parse({}) },
        templates: new Map([['gate', { state: { config } }]]),
        template: () => ({ config }),
      },
    };
    // Only these parts are read.
    const problems = joinProblems(known as never, []).filter(({ template }) => template === 'gate');
    expect(problems.map(({ reason }) => reason)).toEqual(want);
  },
);
