import { expect, it } from 'vitest';
import { NodeTimes } from '#master/control/node-times.ts';

it('tells since when a node is in its state, as far as anybody saw that begin', () => {
  let now = 100;
  const times = new NodeTimes(() => now);
  times.see([{ id: 'local', state: 'READY' }]);
  expect(times.since({ id: 'local', state: 'READY' })).toBeNull();
  now = 200;
  times.see([
    { id: 'local', state: 'CORDONED' },
    { id: 'node-1', state: 'ORDERED' },
  ]);
  now = 300;
  times.see([
    { id: 'local', state: 'CORDONED' },
    { id: 'node-1', state: 'READY' },
  ]);
  expect(times.since({ id: 'local', state: 'CORDONED' })).toBe(200);
  expect(times.since({ id: 'node-1', state: 'READY' })).toBe(300);
  now = 400;
  expect(times.since({ id: 'node-1', state: 'DRAINING' })).toBe(400);
});
