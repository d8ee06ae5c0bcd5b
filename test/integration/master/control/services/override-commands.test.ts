import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeStates, type NodeState } from '#shared/model/node.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { NodeBackoff } from '#master/state/nodes/node-backoff.ts';

import { RecordStore } from '#master/state/services/record-store.ts';
import { Topics } from '#master/state/feed/topics.ts';
import { OverrideCommands } from '#master/control/services/override-commands.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff-delay.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates the commands and stores of a master on `data`. The master has one node per state, with the state as its
 * name.
 */
async function aDesk(data = temporaryFolder()) {
  const config = await ConfigStore.open(data, () => undefined);
  const events = await EventLog.open(join(data, 'activity.jsonl'), Date.now);
  onTestFinished(async () => {
    config.close();
    await events.close();
  });
  await config.createTemplate('lobby', {});
  const records = await RecordStore.open(join(data, 'services.json'));
  records.add({ id: 'lobby-1', template: 'lobby', requestedAt: 1, cause: 'test', manual: false });
  const overrides = await Overrides.open(join(data, 'holds.json'));
  const rental = { type: 'cpx32', since: 1, hourlyPrice: 0.02 };
  const nodes = [
    ...nodeStates.map((state) => ({ id: state.toLowerCase(), state, rental })),
    { id: 'own', state: 'READY', rental: null },
  ];
  const nodeBackoff = new NodeBackoff(DEFAULT_BACKOFF);
  const registry = { nodes: () => nodes };
  const known = { config, events, records, overrides, nodeBackoff, topics: new Topics(), registry };
  let pokes = 0;
  // Contains only the dependencies that the commands use.
  const overrideCommands = new OverrideCommands(
    known as unknown as ConstructorParameters<typeof OverrideCommands>[0],
    { poke: () => (pokes += 1) },
  );
  const told = (): string[] =>
    events
      .query({ limit: 50 })
      .reverse()
      .map(({ kind, subject, actor, cause }) => `${kind} ${subject.id} ${actor}: ${cause}`);
  return { overrideCommands, records, overrides, told, pokes: () => pokes };
}

describe('the commands that pause, protect, drain or release services, templates and nodes', () => {
  it('create one event per change, with the person who made the change', async () => {
    const { overrideCommands, records, overrides, told, pokes } = await aDesk();
    for (let twice = 0; twice < 2; twice += 1) {
      await overrideCommands.holdService('lobby-1', true, 'ana');
      await overrideCommands.holdTemplate('lobby', true, 'ana');
      await overrideCommands.holdNode('ready', true, 'ben');
      await overrideCommands.lockNode('lost', true, 'ben');
      await overrideCommands.scheduleNode('ready', 'cordon', 'ben');
    }
    expect(records.get('lobby-1')?.held).toBe(true);
    expect(overrides.ofNode('ready')).toEqual({
      held: true,
      locked: false,
      schedule: 'cordon',
      byRules: false,
    });
    expect(told()).toEqual([
      'service.held lobby-1 ana: requested by ana',
      'template.held lobby ana: requested by ana',
      'node.held ready ben: requested by ben',
      'node.locked lost ben: requested by ben',
      'node.cordoned ready ben: requested by ben',
    ]);
    expect(pokes()).toBe(5);
    await overrideCommands.holdService('lobby-1', false, 'ana');
    await overrideCommands.holdTemplate('lobby', false, 'ana');
    await overrideCommands.holdNode('ready', false, 'ana');
    await overrideCommands.lockNode('lost', false, 'ana');
    await overrideCommands.scheduleNode('ready', 'resume', 'ana');
    expect(told().slice(5)).toEqual([
      'service.put-back lobby-1 ana: requested by ana',
      'template.put-back lobby ana: requested by ana',
      'node.put-back ready ana: requested by ana',
      'node.unlocked lost ana: requested by ana',
      'node.resumed ready ana: requested by ana',
    ]);
  });

  it('are rejected for unknown services, templates and nodes', async () => {
    const { overrideCommands, told } = await aDesk();
    await expect(overrideCommands.holdService('lobby-9', true, 'ana')).rejects.toMatchObject({
      code: 'SERVICE_NOT_FOUND',
    });
    await expect(overrideCommands.holdTemplate('games', true, 'ana')).rejects.toMatchObject({
      code: 'TEMPLATE_NOT_FOUND',
    });
    await expect(overrideCommands.holdNode('node-9', true, 'ana')).rejects.toMatchObject({
      code: 'NODE_NOT_FOUND',
    });
    expect(told()).toEqual([]);
  });

  it('are rejected if they pause a service that is being stopped as unneeded', async () => {
    const { overrideCommands, records, told } = await aDesk();
    const record = records.get('lobby-1');
    if (record === undefined) throw new Error('the desk has a service');
    record.stopping = { since: 2, cause: 'no longer needed' };
    await expect(overrideCommands.holdService('lobby-1', true, 'ana')).rejects.toMatchObject({
      code: 'SERVICE_NOT_FOUND',
    });
    expect(record.held).toBe(false);
    expect(told()).toEqual([]);
  });

  const up: readonly NodeState[] = ['READY', 'CORDONED', 'DRAINING'];
  it.each(nodeStates.filter((state) => !up.includes(state)))(
    'are rejected if they cordon, drain or resume a node that is %s',
    async (state) => {
      const { overrideCommands, overrides } = await aDesk();
      const id = state.toLowerCase();
      const code = state === 'DELETING' ? 'NODE_GOING' : 'NODE_NOT_READY';
      for (const to of ['cordon', 'drain', 'resume'] as const) {
        await expect(overrideCommands.scheduleNode(id, to, 'ana')).rejects.toMatchObject({ code });
      }
      expect(overrides.ofNode(id).schedule).toBeNull();
    },
  );

  it.each(['ORDERED', 'BOOTING', 'LOST'] as const)(
    'can release a node that is %s, and the release can be cancelled',
    async (state) => {
      const { overrideCommands, overrides } = await aDesk();
      const id = state.toLowerCase();
      await overrideCommands.scheduleNode(id, 'release', 'ana');
      expect(overrides.ofNode(id).schedule).toBe('release');
      await overrideCommands.scheduleNode(id, 'resume', 'ana');
      expect(overrides.ofNode(id).schedule).toBeNull();
    },
  );

  it('are rejected if they protect or pause a node that is being deleted', async () => {
    const { overrideCommands } = await aDesk();
    await expect(overrideCommands.lockNode('deleting', true, 'ana')).rejects.toMatchObject({
      code: 'NODE_GOING',
    });
    await expect(overrideCommands.holdNode('deleting', true, 'ana')).rejects.toMatchObject({
      code: 'NODE_GOING',
    });
  });

  it('can release a cloud node that is not protected, and the release can be cancelled', async () => {
    const { overrideCommands, overrides, told } = await aDesk();
    await expect(overrideCommands.scheduleNode('own', 'release', 'ana')).rejects.toMatchObject({
      code: 'NODE_NOT_RENTED',
    });
    await overrideCommands.lockNode('ready', true, 'ana');
    await expect(overrideCommands.scheduleNode('ready', 'release', 'ana')).rejects.toMatchObject({
      code: 'NODE_LOCKED',
    });
    await overrideCommands.lockNode('ready', false, 'ana');
    await overrideCommands.scheduleNode('ready', 'release', 'ana');
    expect(overrides.ofNode('ready').schedule).toBe('release');
    expect(told().at(-1)).toBe('node.leaving ready ana: requested by ana');
    await overrideCommands.scheduleNode('ready', 'resume', 'ana');
    expect(overrides.ofNode('ready').schedule).toBeNull();
  });

  it('are rejected while the master is shutting down', async () => {
    const { overrideCommands, records, overrides, told } = await aDesk();
    await records.save();
    await records.close();
    await overrides.close();
    const ending = { code: 'MASTER_ENDING' };
    await expect(overrideCommands.holdService('lobby-1', true, 'ana')).rejects.toMatchObject(ending);
    await expect(overrideCommands.holdTemplate('lobby', true, 'ana')).rejects.toMatchObject(ending);
    await expect(overrideCommands.scheduleNode('ready', 'drain', 'ana')).rejects.toMatchObject(ending);
    expect(records.get('lobby-1')?.held).toBe(false);
    expect(overrides.isTemplateHeld('lobby')).toBe(false);
    expect(told()).toEqual([]);
  });

  it('can turn a drain by the rules into a drain by a person, which the rules cannot end', async () => {
    const { overrideCommands, overrides, told } = await aDesk();
    await overrides.drainByRules('ready');
    await overrideCommands.scheduleNode('ready', 'drain', 'ana');
    expect(overrides.ofNode('ready')).toMatchObject({ schedule: 'drain', byRules: false });
    expect(told()).toEqual(['node.draining ready ana: requested by ana']);
    expect(await overrides.resumeByRules('ready')).toBe(false);
  });

  it.each([
    { does: 'pause', change: { held: true } },
    { does: 'protect', change: { locked: true } },
  ])('end a drain by the rules if they $does the node', async ({ does, change }) => {
    const { overrideCommands, overrides, told } = await aDesk();
    const exclude = (on: boolean) =>
      does === 'pause'
        ? overrideCommands.holdNode('ready', on, 'ana')
        : overrideCommands.lockNode('ready', on, 'ana');
    await overrides.drainByRules('ready');
    await exclude(true);
    expect(overrides.ofNode('ready')).toMatchObject({ ...change, schedule: null, byRules: false });
    expect(told()).toHaveLength(1);
    // The end of the exclusion does not continue the drain, and does not end a drain that a person requests.
    await exclude(false);
    expect(overrides.ofNode('ready').schedule).toBeNull();
    await overrideCommands.scheduleNode('ready', 'drain', 'ana');
    await exclude(true);
    expect(overrides.ofNode('ready')).toMatchObject({ ...change, schedule: 'drain', byRules: false });
  });

  it.skipIf(!canMount)('change nothing if the change cannot be stored', async () => {
    const disk = smallDisk(8);
    const { overrideCommands, records, overrides, told } = await aDesk(disk);
    await records.save();
    await fillDisk(disk);
    const full = { code: 'DISK_FULL' };
    await expect(overrideCommands.holdService('lobby-1', true, 'ana')).rejects.toMatchObject(full);
    await expect(overrideCommands.holdTemplate('lobby', true, 'ana')).rejects.toMatchObject(full);
    await expect(overrideCommands.scheduleNode('ready', 'drain', 'ana')).rejects.toMatchObject(full);
    expect(records.get('lobby-1')?.held).toBe(false);
    expect(overrides.isTemplateHeld('lobby')).toBe(false);
    expect(overrides.ofNode('ready').schedule).toBeNull();
    expect(told()).toEqual([]);
  });
});
