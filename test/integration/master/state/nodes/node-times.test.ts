import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NodeTimes } from '#master/state/nodes/node-times.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const LOCAL = { id: 'local', state: 'READY' } as const;
const ORDERED = { id: 'node-1', state: 'ORDERED' } as const;

it('NodeTimes returns the time at which a node entered its state if a master has observed the change', async () => {
  let now = 100;
  const times = await NodeTimes.open(join(temporaryFolder(), 'times.json'), () => now);
  times.see([LOCAL], true);
  expect(times.since(LOCAL)).toBeNull();
  now = 200;
  times.see([{ id: 'local', state: 'CORDONED' }, ORDERED], true);
  now = 300;
  times.see(
    [
      { id: 'local', state: 'CORDONED' },
      { id: 'node-1', state: 'READY' },
    ],
    true,
  );
  expect(times.since({ id: 'local', state: 'CORDONED' })).toBe(200);
  expect(times.since({ id: 'node-1', state: 'READY' })).toBe(300);
  now = 400;
  expect(times.since({ id: 'node-1', state: 'DRAINING' })).toBe(400);
});

it('NodeTimes keeps its times after a restart, even for nodes that the provider lists only later', async () => {
  const path = join(temporaryFolder(), 'times.json');
  const before = await NodeTimes.open(path, () => 200);
  before.see([], true);
  before.see([LOCAL, ORDERED, { id: 'node-2', state: 'READY' }], true);
  await before.save();
  const after = await NodeTimes.open(path, () => 900);
  after.see([LOCAL], false);
  after.see([LOCAL, { id: 'node-1', state: 'READY' }, { id: 'node-2', state: 'READY' }], true);
  expect(after.since(LOCAL)).toBe(200);
  expect(after.since({ id: 'node-1', state: 'READY' })).toBe(900);
  expect(after.since({ id: 'node-2', state: 'READY' })).toBe(200);
});

it('NodeTimes returns no time for a change that happened while no master was running', async () => {
  const path = join(temporaryFolder(), 'times.json');
  const before = await NodeTimes.open(path, () => 200);
  before.see([], true);
  before.see([LOCAL, ORDERED], true);
  await before.save();
  const after = await NodeTimes.open(path, () => 900);
  after.see([{ id: 'local', state: 'LOST' }], true);
  expect(after.since({ id: 'local', state: 'LOST' })).toBeNull();
  // The node was missing from the list above, so this is a new node of the same name.
  after.see([ORDERED], true);
  expect(after.since(ORDERED)).toBe(900);
});
