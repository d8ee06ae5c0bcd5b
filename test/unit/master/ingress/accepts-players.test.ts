import { expect, it } from 'vitest';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { isOpen, admissionOf, type AdmissionFacts } from '#master/ingress/accepts-players.ts';

const UP = {
  ...{ state: 'RUNNING', stopping: null, retiring: null, draining: null, unresponsive: false },
  ...{ node: 'node-1', startedAt: 5, upAt: 6, adoptedAt: null, lastUp: null },
  placed: { values: { isProxy: false } },
};
const MARK = { since: 1, cause: 'x' };
const ADOPTED = { state: 'STARTING', upAt: null, adoptedAt: 9 };
const WAS_UP = { ...ADOPTED, lastUp: { startedAt: 5, state: 'RUNNING', since: 6, unusedSince: null } };
const PROXY = { placed: { values: { isProxy: true } } };
const REACHABLE = { state: 'READY', silent: false } as const;
const SILENT = { state: 'READY', silent: 'awaited' } as const;
const ANSWERED = { answer: { players: { online: 0, max: 20 } } };

it.each<[what: string, is: readonly [record: object, facts: Partial<AdmissionFacts>], want: string]>([
  ['a running service', [{}, {}], 'open'],
  ['a service in use', [{ state: 'IN_USE' }, {}], 'open'],
  ['a starting service', [{ state: 'STARTING' }, {}], 'closed'],
  ['a stopping service', [{ stopping: MARK }, {}], 'closed'],
  ['a service that does not answer', [{ unresponsive: true }, {}], 'closed'],
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
  ['a proxy that may have been up before a restart of the master', [{ ...ADOPTED, ...PROXY }, {}], 'open'],
])('admissionOf decides whether %s accepts players', (_what, [change, facts], want) => {
  const all = { node: REACHABLE, ping: null, isTemplateGoing: false, ...facts };
  expect(admissionOf({ ...UP, ...change } as unknown as ServiceRecord, all)).toBe(want);
});

it.each([
  ['open', [true, true]],
  ['going', [true, false]],
  ['closed', [false, false]],
] as const)('isOpen decides about "%s" by whether an open service has room', (admission, want) => {
  expect([isOpen(admission, 0), isOpen(admission, 1)]).toEqual(want);
});
