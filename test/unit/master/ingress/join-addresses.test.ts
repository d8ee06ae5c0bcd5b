import { expect, it } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { viewPlayerEntry } from '#master/ingress/join-addresses.ts';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { noBalancer, noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Returns a proxy that is up, and that was requested at this time (ms). */
function aProxy(id: string, requestedAt: number): ServiceRecord {
  const record = newRecord({ id, template: 'gate', requestedAt, cause: 'test', manual: false });
  const placed = startedFrom(serviceSpec({ id, isProxy: true }));
  const address = { host: '10.0.0.7', port: 25_565 + requestedAt };
  return Object.assign(record, { placed, address, state: 'RUNNING', node: 'local', startedAt: 5, upAt: 6 });
}

/** Returns the services whose addresses are shown to players, in a network without a balancer and without templates. */
function shownOf(all: readonly ServiceRecord[]): string[] {
  const known = {
    ...{ records: { all, get: () => undefined }, link: noLink(), balancer: noBalancer(), shownHost: null },
    proxies: { ...noProxies(), kindOf: () => 'velocity' },
    config: { templates: new Map(), master: { config: masterConfigSchema.parse({}) } },
    registry: { nodes: () => [] },
    now: () => 1,
  };
  // Only these parts are read.
  return viewPlayerEntry(known as never).join.map(({ via }) => via);
}

it('without a balancer, the join address is the address of the oldest proxy', () => {
  expect(shownOf([aProxy('gate-2', 2), aProxy('gate-1', 1)])).toEqual(['gate-1']);
});

it('without a balancer, the join address is the address of a draining proxy only if there is no other proxy', () => {
  const old = aProxy('gate-1', 1);
  old.draining = { since: 1, cause: 'test', until: null };
  expect(shownOf([old, aProxy('gate-2', 2)])).toEqual(['gate-2']);
  expect(shownOf([old])).toEqual(['gate-1']);
});

it('without a balancer, there is no join address if all proxies expect the PROXY header of a balancer', () => {
  const proxy = aProxy('gate-1', 1);
  const { placed } = proxy;
  if (placed === null) throw new Error('the proxy is not placed');
  proxy.placed = { ...placed, given: { ...placed.given, proxyProtocol: true } };
  expect(shownOf([proxy])).toEqual([]);
  expect(shownOf([proxy, aProxy('gate-2', 2)])).toEqual(['gate-2']);
});
