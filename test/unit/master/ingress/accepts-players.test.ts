import { expect, it } from 'vitest';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { isOpen, admissionOf } from '#master/ingress/accepts-players.ts';

const UP = { state: 'RUNNING', stopping: null, retiring: null, draining: null, unresponsive: false };
const MARK = { since: 1, cause: 'x' };

it.each<
  [
    what: string,
    is: readonly [record: object, isGoing: boolean],
    open: readonly [alone: boolean, beside: boolean],
  ]
>([
  ['a running service', [{}, false], [true, true]],
  ['a service in use', [{ state: 'IN_USE' }, false], [true, true]],
  ['a starting service', [{ state: 'STARTING' }, false], [false, false]],
  ['a stopping service', [{ stopping: MARK }, false], [false, false]],
  ['a service that does not answer', [{ unresponsive: true }, false], [false, false]],
  ['a service that is being replaced', [{ retiring: MARK }, false], [true, false]],
  ['a draining service', [{ draining: { ...MARK, until: null } }, false], [false, false]],
  ['a service on a draining node', [{}, true], [true, false]],
  ['a service that is being replaced and stops', [{ retiring: MARK, stopping: MARK }, true], [false, false]],
])(
  'isOpen returns whether players may join %s, depending on whether another service is open',
  (_what, [change, isGoing], open) => {
    const openness = admissionOf({ ...UP, ...change } as ServiceRecord, isGoing);
    expect([isOpen(openness, 0), isOpen(openness, 1)]).toEqual(open);
  },
);
