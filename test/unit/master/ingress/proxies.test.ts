import { expect, it } from 'vitest';
import { isUnlinked, needsLink } from '#master/ingress/proxies.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

const UP_AT = 1_000_000;

interface World {
  /** Template whose jar is known proxy software. */
  readonly proxyTemplate?: string;
  readonly hasLinked?: boolean;
  readonly afterMs?: number;
}

/** Returns a running proxy with Overworld's plugin, and what the master knows of it. */
function aProxy(change: Partial<ServiceRecord> & { readonly plugin?: string | null }, world: World = {}) {
  const { plugin = '1.0.0', ...fields } = change;
  const record = newRecord({ id: 'gate-1', template: 'gate', requestedAt: 1, cause: 'test', manual: false });
  const placed = startedFrom({ ...serviceSpec({ id: 'gate-1', isProxy: true }), plugin });
  Object.assign(record, { placed, state: 'RUNNING', node: 'node-1', startedAt: 5, upAt: UP_AT }, fields);
  const { proxyTemplate = 'gate', hasLinked = false, afterMs = 20_001 } = world;
  return [
    record,
    {
      link: { ...noLink(), hasLinked: () => hasLinked },
      proxies: { ...noProxies(), kindOf: (id: string) => (id === proxyTemplate ? 'velocity' : null) },
      now: () => UP_AT + afterMs,
    },
  ] as const;
}

it.each<[what: string, given: Parameters<typeof aProxy>, want: boolean]>([
  ['is up for more than 20 s', [{}], true],
  ['is up for 20 s', [{}, { afterMs: 20_000 }], false],
  ['is still starting', [{ upAt: null, state: 'STARTING' }], false],
  ['was linked before', [{}, { hasLinked: true }], false],
  ['has no plugin', [{ plugin: null }], false],
  ['is no known proxy', [{}, { proxyTemplate: 'other' }], false],
  ['was adopted less than 20 s ago', [{ adoptedAt: UP_AT + 10_000 }], false],
  ['was adopted more than 20 s ago', [{ upAt: null, adoptedAt: UP_AT }], true],
])('isUnlinked decides whether the plugin of a proxy that %s has failed to connect', (_what, given, want) => {
  expect(isUnlinked(...aProxy(...given))).toBe(want);
});

it.each<[what: string, given: Parameters<typeof aProxy>, want: boolean]>([
  ['has just come up', [{}, { afterMs: 0 }], true],
  ['was linked before', [{}, { hasLinked: true }], false],
  ['has no plugin', [{ plugin: null }], false],
  ['is no known proxy', [{}, { proxyTemplate: 'other' }], false],
  ['has players', [{ players: { online: 3, max: 50 } }], false],
])(
  'needsLink decides whether a proxy that %s rejects players until its plugin connects',
  (_what, given, want) => {
    expect(needsLink(...aProxy(...given))).toBe(want);
  },
);
