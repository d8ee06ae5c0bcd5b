import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Overrides } from '#master/control/overrides/overrides.ts';
import { NodeBackoff } from '#master/control/nodes/node-backoff.ts';
import { ServiceCommands } from '#master/control/services/service-commands.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';

import type { Loop } from '#master/control/loop/loop.ts';
import { RecordStore } from '#master/control/services/record-store.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('the number of waiting services that people have requested is limited', async () => {
  const data = temporaryFolder();
  const config = await ConfigStore.open(data, () => undefined);
  const events = await EventLog.open(join(data, 'activity.jsonl'), () => 1);
  onTestFinished(async () => {
    config.close();
    await events.close();
  });
  await config.createTemplate('lobby', {});
  const records = await RecordStore.open(join(data, 'services.json'));
  // Everything that the commands use.
  const loop = { poke: () => undefined } as unknown as Loop;
  const overrides = await Overrides.open(join(data, 'holds.json'));
  const nodeBackoff = new NodeBackoff(DEFAULT_BACKOFF);
  const parts = { config, events, records, overrides, nodeBackoff, now: () => 1 };
  const orders = new ServiceCommands(
    parts as unknown as ConstructorParameters<typeof ServiceCommands>[0],
    loop,
  );
  const asked = await Promise.allSettled(Array.from({ length: 1_001 }, () => orders.start('lobby', 'ana')));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000);
  expect(asked.at(-1)).toMatchObject({ reason: { code: 'TOO_MANY', details: { limit: 1_000 } } });
  expect(records.all).toHaveLength(1_000);
});
