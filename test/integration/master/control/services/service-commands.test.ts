import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';
import { ServiceCommands } from '#master/control/services/service-commands.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';

import type { Loop } from '#master/control/loop/loop.ts';
import { StartBackoffs } from '#master/state/services/start-backoffs.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates the commands with real documents. Collects the lines that the commands send to consoles in `sent`. */
async function someCommands(withVolume: readonly string[] = []) {
  const data = temporaryFolder();
  const config = await ConfigStore.open(data, () => undefined);
  const events = await EventLog.open(join(data, 'activity.jsonl'), () => 1);
  onTestFinished(async () => {
    config.close();
    await events.close();
  });
  await config.createTemplate('lobby', {});
  const records = await RecordStore.open(join(data, 'services.json'));
  // Contains only the dependencies that the commands use.
  const loop = { poke: () => undefined } as unknown as Loop;
  const overrides = await Overrides.open(join(data, 'holds.json'));
  const nodeBackoff = new NodeBackoff(DEFAULT_BACKOFF);
  const startBackoffs = new StartBackoffs(DEFAULT_BACKOFF);
  const sent: string[] = [];
  const runtimeOf = () => ({ command: (_id: string, line: string) => Promise.resolve(sent.push(line)) });
  const idle = { attachedTo: null, mayBeUnsaved: false, cachedOn: 'local', problem: null, unsavable: null };
  const volumes = { snapshot: () => withVolume.map((service) => ({ ...idle, service })) };
  const backoffs = { nodeBackoff, startBackoffs };
  const parts = { config, events, records, volumes, overrides, ...backoffs, runtimeOf, now: () => 1 };
  const orders = new ServiceCommands(
    parts as unknown as ConstructorParameters<typeof ServiceCommands>[0],
    loop,
  );
  return { data, orders, config, records, events, sent, startBackoffs };
}

it('a request for a service is rejected while 1,000 requested services wait for a node', async () => {
  const { orders, records } = await someCommands();
  const asked = await Promise.allSettled(Array.from({ length: 1_001 }, () => orders.start('lobby', 'ana')));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000);
  expect(asked.at(-1)).toMatchObject({ reason: { code: 'TOO_MANY', details: { limit: 1_000 } } });
  expect(records.all).toHaveLength(1_000);
});

it('a request that cannot be stored is withdrawn, even if a round has placed the service meanwhile', async () => {
  const { data, orders, records } = await someCommands();
  await symlink('nowhere', join(data, 'services.json'));
  const asked = orders.start('lobby', 'ana');
  // A round places the service, stores the records, and withdraws the placement if it cannot store them.
  for (const record of records.all) record.node = 'local';
  const round = records.save().catch(() => {
    for (const record of records.all) record.node = null;
  });
  await expect(asked).rejects.toThrow();
  await round;
  expect(records.all).toEqual([]);
});

it('a service that a person starts does not wait for the back-off of its template', async () => {
  const { orders, startBackoffs } = await someCommands();
  for (const template of ['lobby', 'arena']) startBackoffs.count(template, 1, { ranMs: null, timedOutMs: 0 });
  await orders.start('lobby', 'ana');
  expect(startBackoffs.retryAt('lobby')).toBeNull();
  expect(startBackoffs.retryAt('arena')).not.toBeNull();
});

it('a service that a person starts uses a volume that no service uses', async () => {
  const { orders, config } = await someCommands(['survival-7', 'survival-2']);
  await config.createTemplate('survival', { persistentPaths: ['world*'] });
  expect(await orders.start('survival', 'ana')).toBe('survival-2');
  expect(await orders.start('survival', 'ana')).toBe('survival-7');
  expect(await orders.start('survival', 'ana')).toBe('survival-1');
});

it('a command reaches the console unchanged, and appears in the activity log without passwords', async () => {
  const { orders, records, events, sent } = await someCommands();
  const id = await orders.start('lobby', 'ana');
  const [record] = records.all;
  if (record === undefined) throw new Error('there is no service');
  Object.assign(record, { node: 'local', state: 'RUNNING' });
  await orders.command(id, '/login hunter2', 'ana');
  await orders.command(id, 'op Anna', 'ana');
  expect(sent).toEqual(['/login hunter2', 'op Anna']);
  const logged = events.query({ kinds: ['service.command'], limit: 10 }).map(({ cause }) => cause);
  expect(logged).toEqual(['op Anna', '/login ••••']);
});
