import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepStrayData } from '#master/control/volumes/keep-stray-data.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { Adoptions } from '#master/state/services/adoptions.ts';
import { Evictions } from '#master/state/services/evictions.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { aRentedNode } from '#test/support/master/snapshots.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival-1';

/** A master and the folders of `survival-1` on nodes: the text of its world, by node. */
async function aMaster({
  wasEmpty,
  listed,
}: {
  readonly wasEmpty: boolean;
  readonly listed: readonly string[];
}) {
  const folder = temporaryFolder();
  const now = (): number => 1_000_000;
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const settings = () => masterConfigSchema.parse({}).volumes;
  const volumes = await Volumes.open({ folder: join(folder, 'volumes'), disks: noReserves(), settings, now });
  const worlds = new Map<string, string>();
  const disk = { isFull: false };
  // Stray data needs only these calls of a runtime.
  const runtimeOf = (node: string) =>
    ({
      takeSnapshot: () => Promise.resolve(worlds.has(node)),
      readSnapshot: () => Promise.resolve({ files: [fileWith(worlds.get(node) ?? '')], skipped: [] }),
      fetchSnapshot: async (_, files, to) => {
        if (disk.isFull) throw new Error('no space left');
        for (const { hash } of files) await writeFile(join(to, hash), worlds.get(node) ?? '');
      },
      endSnapshot: () => Promise.resolve(),
      forget: () => Promise.resolve(void worlds.delete(node)),
    }) satisfies Partial<Runtime> as unknown as Runtime;
  const registry = { nodes: () => listed.map((id) => aRentedNode(id)), listed: () => true };
  const records = { wasEmpty, get: () => undefined };
  const adoptions = new Adoptions({ records, registry, ownNode: 'local' } as never);
  const log = pino({ level: 'silent' });
  const keep = keepStrayData({ volumes, adoptions, runtimeOf, events, now, log });
  const evictions = new Evictions({ runtimeOf, log, keep });
  const told = () => events.query({ limit: 20, kinds: ['node.failed'] }).map(({ subject }) => subject.id);
  return { volumes, worlds, disk, adoptions, evictions, told };
}

function fileWith(text: string) {
  const hash = createHash('sha256').update(text).digest('hex');
  return { path: 'world/level.dat', size: text.length, mode: 0o600, hash, modifiedAtMs: 1 };
}

describe('files of a service on a node where it does not belong', () => {
  it('stay on the node, and keep it, if the master does not know that the service ran there', async () => {
    const { volumes, worlds, evictions, told } = await aMaster({ wasEmpty: false, listed: ['node-1'] });
    worlds.set('node-1', 'a world');
    await evictions.clear('node-1', ID);
    await evictions.clear('node-1', ID);
    expect(worlds.get('node-1')).toBe('a world');
    expect(volumes.all).toEqual([]);
    expect(told()).toEqual(['node-1']);
    expect(evictions.unsavedOn('node-1', false)).toEqual([ID]);
    // A person who releases the node has decided about data that is not stored anyway.
    expect(evictions.unsavedOn('node-1', true)).toEqual([]);
    evictions.forgetRemoved(() => false);
    expect(evictions.unsavedOn('node-1', false)).toEqual([]);
  });

  it('are removed if there is nothing to keep', async () => {
    const { evictions, told } = await aMaster({ wasEmpty: false, listed: ['node-1'] });
    await evictions.clear('node-1', ID);
    expect(told()).toEqual([]);
    expect(evictions.unsavedOn('node-1', false)).toEqual([]);
  });

  it('are stored by a master that has lost its data, although the first attempt fails', async () => {
    const { volumes, worlds, disk, adoptions, evictions } = await aMaster({
      wasEmpty: true,
      listed: ['node-1', 'node-2'],
    });
    for (const node of ['node-1', 'node-2', 'node-3']) worlds.set(node, `the world on ${node}`);
    disk.isFull = true;
    await evictions.clear('node-1', ID);
    adoptions.nodesAnswered(['node-1', 'node-2', 'node-3']);
    expect(worlds.has('node-1')).toBe(true);
    disk.isFull = false;
    // Another node has an older copy. Nothing tells which one is newer, so both are stored.
    await evictions.clear('node-2', ID);
    expect(worlds.has('node-2')).toBe(false);
    const [volume] = volumes.all;
    expect(volume?.attachment?.node).toBe('node-1');
    expect(volume?.saves().map(({ node, current }) => [node, current])).toEqual([['node-2', false]]);
    // This node did not exist when the master started.
    await evictions.clear('node-3', ID);
    expect(worlds.has('node-3')).toBe(true);
  });
});
