import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeStates, type NodeState } from '#shared/model/node.ts';
import { Holds } from '#master/control/overrides/overrides.ts';
import { NodeBackoff } from '#master/control/nodes/node-backoff.ts';
import type { Parts } from '#master/control/parts.ts';
import { RecordStore } from '#master/control/services/record-store.ts';
import { Topics } from '#master/control/feed/topics.ts';
import { Wishes } from '#master/control/overrides/override-commands.ts';
import { DEFAULT_BACKOFF } from '#master/core/placement/backoff.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Stores of a master on `data`, with one node in each state, named after it. */
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
  const holds = await Holds.open(join(data, 'holds.json'));
  const rental = { type: 'cpx32', since: 1, hourlyPrice: 0.02 };
  const nodes = [
    ...nodeStates.map((state) => ({ id: state.toLowerCase(), state, rental })),
    { id: 'own', state: 'READY', rental: null },
  ];
  const nodeBackoff = new NodeBackoff(DEFAULT_BACKOFF);
  const provider = { nodes: () => nodes };
  const known = { config, events, records, holds, nodeBackoff, topics: new Topics(), provider };
  let pokes = 0;
  // All that wishes use; the rest of a master would only be in the way.
  const wishes = new Wishes(known as unknown as Parts, { poke: () => (pokes += 1) });
  const told = (): string[] =>
    events
      .query({ limit: 50 })
      .reverse()
      .map(({ kind, subject, actor, cause }) => `${kind} ${subject.id} ${actor}: ${cause}`);
  return { wishes, records, holds, told, pokes: () => pokes };
}

describe('what people wish', () => {
  it('is told once with who asked for it, and makes the loop look', async () => {
    const { wishes, records, holds, told, pokes } = await aDesk();
    for (let twice = 0; twice < 2; twice += 1) {
      await wishes.holdService('lobby-1', true, 'ana');
      await wishes.holdTemplate('lobby', true, 'ana');
      await wishes.holdNode('ready', true, 'ben');
      await wishes.lockNode('lost', true, 'ben');
      await wishes.scheduleNode('ready', 'cordon', 'ben');
    }
    expect(records.get('lobby-1')?.held).toBe(true);
    expect(holds.ofNode('ready')).toEqual({ held: true, locked: false, schedule: 'cordon', byRules: false });
    expect(told()).toEqual([
      'service.held lobby-1 ana: asked for by ana',
      'template.held lobby ana: asked for by ana',
      'node.held ready ben: asked for by ben',
      'node.locked lost ben: asked for by ben',
      'node.cordoned ready ben: asked for by ben',
    ]);
    expect(pokes()).toBe(5);
    await wishes.holdService('lobby-1', false, 'ana');
    await wishes.holdTemplate('lobby', false, 'ana');
    await wishes.holdNode('ready', false, 'ana');
    await wishes.lockNode('lost', false, 'ana');
    await wishes.scheduleNode('ready', 'resume', 'ana');
    expect(told().slice(5)).toEqual([
      'service.put-back lobby-1 ana: asked for by ana',
      'template.put-back lobby ana: asked for by ana',
      'node.put-back ready ana: asked for by ana',
      'node.unlocked lost ana: asked for by ana',
      'node.resumed ready ana: asked for by ana',
    ]);
  });

  it('is refused for what does not exist', async () => {
    const { wishes, told } = await aDesk();
    await expect(wishes.holdService('lobby-9', true, 'ana')).rejects.toMatchObject({
      code: 'SERVICE_NOT_FOUND',
    });
    await expect(wishes.holdTemplate('games', true, 'ana')).rejects.toMatchObject({
      code: 'TEMPLATE_NOT_FOUND',
    });
    await expect(wishes.holdNode('node-9', true, 'ana')).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
    expect(told()).toEqual([]);
  });

  it('is refused for a service that a rule withdraws at this moment: it would be gone all the same', async () => {
    const { wishes, records, told } = await aDesk();
    const record = records.get('lobby-1');
    if (record === undefined) throw new Error('the desk has a service');
    record.stopping = { since: 2, cause: 'no longer needed' };
    await expect(wishes.holdService('lobby-1', true, 'ana')).rejects.toMatchObject({
      code: 'SERVICE_NOT_FOUND',
    });
    expect(record.held).toBe(false);
    expect(told()).toEqual([]);
  });

  const up: readonly NodeState[] = ['READY', 'CORDONED', 'DRAINING'];
  it.each(nodeStates.filter((state) => !up.includes(state)))(
    'cannot cordon, drain or resume a node that is %s',
    async (state) => {
      const { wishes, holds } = await aDesk();
      const id = state.toLowerCase();
      const code = state === 'DELETING' ? 'NODE_GOING' : 'NODE_NOT_READY';
      for (const to of ['cordon', 'drain', 'resume'] as const) {
        await expect(wishes.scheduleNode(id, to, 'ana')).rejects.toMatchObject({ code });
      }
      expect(holds.ofNode(id).schedule).toBeNull();
    },
  );

  it.each(['ORDERED', 'BOOTING', 'LOST'] as const)(
    'releases a node that is %s, and keeps it after all',
    async (state) => {
      const { wishes, holds } = await aDesk();
      const id = state.toLowerCase();
      await wishes.scheduleNode(id, 'release', 'ana');
      expect(holds.ofNode(id).schedule).toBe('release');
      await wishes.scheduleNode(id, 'resume', 'ana');
      expect(holds.ofNode(id).schedule).toBeNull();
    },
  );

  it('cannot keep a node that is being given back', async () => {
    const { wishes } = await aDesk();
    await expect(wishes.lockNode('deleting', true, 'ana')).rejects.toMatchObject({ code: 'NODE_GOING' });
    await expect(wishes.holdNode('deleting', true, 'ana')).rejects.toMatchObject({ code: 'NODE_GOING' });
  });

  it('gives back what is rented and not locked, and takes that back', async () => {
    const { wishes, holds, told } = await aDesk();
    await expect(wishes.scheduleNode('own', 'release', 'ana')).rejects.toMatchObject({
      code: 'NODE_NOT_RENTED',
    });
    await wishes.lockNode('ready', true, 'ana');
    await expect(wishes.scheduleNode('ready', 'release', 'ana')).rejects.toMatchObject({
      code: 'NODE_LOCKED',
    });
    await wishes.lockNode('ready', false, 'ana');
    await wishes.scheduleNode('ready', 'release', 'ana');
    expect(holds.ofNode('ready').schedule).toBe('release');
    expect(told().at(-1)).toBe('node.leaving ready ana: asked for by ana');
    await wishes.scheduleNode('ready', 'resume', 'ana');
    expect(holds.ofNode('ready').schedule).toBeNull();
  });

  it('is refused once the master has stopped storing, and not granted', async () => {
    const { wishes, records, holds, told } = await aDesk();
    await records.save();
    await records.close();
    await holds.close();
    const ending = { code: 'MASTER_ENDING' };
    await expect(wishes.holdService('lobby-1', true, 'ana')).rejects.toMatchObject(ending);
    await expect(wishes.holdTemplate('lobby', true, 'ana')).rejects.toMatchObject(ending);
    await expect(wishes.scheduleNode('ready', 'drain', 'ana')).rejects.toMatchObject(ending);
    expect(records.get('lobby-1')?.held).toBe(false);
    expect(holds.isTemplateHeld('lobby')).toBe(false);
    expect(told()).toEqual([]);
  });

  it('makes a drain by the rules a drain by a person', async () => {
    const { wishes, holds, told } = await aDesk();
    await holds.drainByRules('ready');
    await wishes.scheduleNode('ready', 'drain', 'ana');
    expect(holds.ofNode('ready')).toMatchObject({ schedule: 'drain', byRules: false });
    expect(told()).toEqual(['node.draining ready ana: asked for by ana']);
    expect(await holds.resumeByRules('ready')).toBe(false);
  });

  it.skipIf(!canMount)('is not granted when it cannot be stored', async () => {
    const disk = smallDisk(8);
    const { wishes, records, holds, told } = await aDesk(disk);
    await records.save();
    await fillDisk(disk);
    const full = { code: 'DISK_FULL' };
    await expect(wishes.holdService('lobby-1', true, 'ana')).rejects.toMatchObject(full);
    await expect(wishes.holdTemplate('lobby', true, 'ana')).rejects.toMatchObject(full);
    await expect(wishes.scheduleNode('ready', 'drain', 'ana')).rejects.toMatchObject(full);
    expect(records.get('lobby-1')?.held).toBe(false);
    expect(holds.isTemplateHeld('lobby')).toBe(false);
    expect(holds.ofNode('ready').schedule).toBeNull();
    expect(told()).toEqual([]);
  });
});
