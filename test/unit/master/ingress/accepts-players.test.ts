import { expect, it } from 'vitest';
import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { isOpen, admissionOf, type AdmissionFacts } from '#master/ingress/accepts-players.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Returns the record of a running service. */
function aRecord({ isProxy = false, ...change }: Change): ServiceRecord {
  const record = newRecord({ id: 'x-1', template: 'x', requestedAt: 1, cause: 'test', manual: false });
  const placed = startedFrom(serviceSpec({ id: 'x-1', isProxy }));
  const running = { placed, state: 'RUNNING', node: 'node-1', startedAt: 5, upAt: 6 } as const;
  return Object.assign(record, running, change);
}

type Change = Partial<ServiceRecord> & { readonly isProxy?: boolean };

const MARK = { since: 1, cause: 'x' };
const ADOPTED = { state: 'STARTING', upAt: null, adoptedAt: 9 } as const;
const LAST_UP = { startedAt: 5, state: 'RUNNING', since: 6, unusedSince: null } as const;
const WAS_UP = { ...ADOPTED, lastUp: LAST_UP };
const REACHABLE = { state: 'READY', silent: false } as const;
const SILENT = { state: 'READY', silent: 'awaited' } as const;
const ANSWERED = { answer: { players: { online: 0, max: 20 } } };
const UNLINKED = { isUnlinked: true };

it.each<[what: string, is: readonly [record: Change, facts: Partial<AdmissionFacts>], want: string]>([
  ['a running service', [{}, {}], 'open'],
  ['a service in use', [{ state: 'IN_USE' }, {}], 'open'],
  ['a starting service', [{ state: 'STARTING' }, {}], 'closed'],
  ['a stopping service', [{ stopping: MARK }, {}], 'closed'],
  ['a service that does not answer', [{ unresponsive: true }, {}], 'closed'],
  ['a service that has exited', [{ hasEnded: true }, {}], 'closed'],
  ['a service that is being replaced', [{ retiring: MARK }, {}], 'going'],
  ['a draining service', [{ draining: { ...MARK, until: null } }, {}], 'closed'],
  ['a service on a draining node', [{}, { node: { ...REACHABLE, state: 'DRAINING' } }], 'going'],
  ['a service of a template that is being deleted', [{}, { isTemplateGoing: true }], 'going'],
  ['a service that is being replaced and stops', [{ retiring: MARK, stopping: MARK }, {}], 'closed'],
  ['a service on a lost node', [{}, { node: { ...SILENT, state: 'LOST' } }], 'closed'],
  ['a silent service on an unreachable node', [{}, { node: SILENT, ping: { answer: null } }], 'going'],
  ['a silent service on a reachable node', [{}, { ping: { answer: null } }], 'open'],
  ['an answering service on an unreachable node', [{}, { node: SILENT, ping: ANSWERED }], 'open'],
  ['a game server that was up before a restart of the master', [WAS_UP, {}], 'open'],
  [
    'a game server that was up before a restart, and does not answer',
    [WAS_UP, { ping: { answer: null } }],
    'closed',
  ],
  ['a game server that started during a restart of the master', [ADOPTED, {}], 'closed'],
  [
    'a proxy that may have been up before a restart of the master',
    [{ ...ADOPTED, isProxy: true }, {}],
    'open',
  ],
  ['a proxy whose plugin has not connected', [{ isProxy: true }, UNLINKED], 'going'],
  [
    'a stopping proxy whose plugin has not connected',
    [{ isProxy: true, stopping: MARK }, UNLINKED],
    'closed',
  ],
])('admissionOf decides whether %s accepts players', (_what, [change, facts], want) => {
  const all = { node: REACHABLE, ping: null, isTemplateGoing: false, isUnlinked: false, ...facts };
  expect(admissionOf(aRecord(change), all)).toBe(want);
});

it.each([
  ['open', [true, true]],
  ['going', [true, false]],
  ['closed', [false, false]],
] as const)(
  'isOpen lets new players join "%s" services depending on whether those that will leave are needed',
  (admission, want) => {
    expect([isOpen(admission, true), isOpen(admission, false)]).toEqual(want);
  },
);
