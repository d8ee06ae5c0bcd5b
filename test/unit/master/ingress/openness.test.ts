import { expect, it } from 'vitest';
import type { ServiceRecord } from '#master/control/services/records.ts';
import { isOpen, opennessOf } from '#master/ingress/openness.ts';

const UP = { state: 'RUNNING', stopping: null, retiring: null, draining: null, unresponsive: false };
const MARK = { since: 1, cause: 'x' };

it.each<
  [
    what: string,
    is: readonly [record: object, isGoing: boolean],
    open: readonly [alone: boolean, beside: boolean],
  ]
>([
  ['one that is up', [{}, false], [true, true]],
  ['one that is in use', [{ state: 'IN_USE' }, false], [true, true]],
  ['one that starts', [{ state: 'STARTING' }, false], [false, false]],
  ['one that is stopped', [{ stopping: MARK }, false], [false, false]],
  ['one that does not answer', [{ unresponsive: true }, false], [false, false]],
  ['one that is replaced', [{ retiring: MARK }, false], [true, false]],
  ['one that is drained', [{ draining: { ...MARK, until: null } }, false], [false, false]],
  ['one whose node is emptied', [{}, true], [true, false]],
  ['one that is replaced and stopped', [{ retiring: MARK, stopping: MARK }, true], [false, false]],
])('players are sent to %s: alone, and beside another one', (_what, [change, isGoing], open) => {
  const openness = opennessOf({ ...UP, ...change } as ServiceRecord, isGoing);
  expect([isOpen(openness, 0), isOpen(openness, 1)]).toEqual(open);
});
