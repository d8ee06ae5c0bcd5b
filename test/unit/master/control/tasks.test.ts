import { setImmediate as breathe } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ServiceTasks } from '#master/control/services/service-tasks.ts';

import { newRecord, type ServiceRecord } from '#master/state/services/records.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

/** Returns a stopping service on a node that rejects the stop, with a manual clock. */
function aFailingEnd() {
  const record: ServiceRecord = {
    ...newRecord({ id: 'lobby-1', template: 'lobby', requestedAt: 0, cause: 'a test', manual: false }),
    node: 'node-1',
    stopping: { since: 0, cause: 'not needed' },
  };
  const world = { ms: 0, tried: 0, done: 0 };
  const runtime = {
    stop: () => {
      world.tried += 1;
      return Promise.reject(new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'a test' }));
    },
  };
  const known = {
    log: pino({ level: 'silent' }),
    registry: { nodes: () => [aRentedNode({ id: 'node-1', silentSince: null })] },
    runtimeOf: () => runtime,
    config: { templates: new Map() },
  };
  const tasks = new ServiceTasks(
    // The tasks use only these fields.
    known as unknown as ConstructorParameters<typeof ServiceTasks>[0],
    () => (world.done += 1),
    () => world.ms,
  );
  const goRound = async (): Promise<void> => {
    tasks.endIfStopping(record);
    await tasks.of(record.id);
    await breathe();
  };
  return { world, record, tasks, goRound };
}

describe('a service that could not be stopped', () => {
  it('gets the next attempt after one second, not in each round of the control loop', async () => {
    const { world, goRound } = aFailingEnd();
    for (let round = 0; round < 5; round += 1) await goRound();
    expect(world).toMatchObject({ tried: 1, done: 0 });
    world.ms += 1_000;
    for (let round = 0; round < 5; round += 1) await goRound();
    expect(world).toMatchObject({ tried: 2, done: 0 });
  });

  it('gets the next attempt at once if a person kills the service', async () => {
    const { world, goRound, tasks, record } = aFailingEnd();
    await goRound();
    tasks.kill(record);
    await goRound();
    expect(world.tried).toBe(2);
  });
});
