import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepStrayData } from '#master/control/volumes/keep-stray-data.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { Adoptions } from '#master/state/services/adoptions.ts';
import { Evictions } from '#master/state/services/evictions.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { aRentedNode } from '#test/support/master/snapshots.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const ID = 'survival-1';

/** Creates a master and the folders of `survival-1` on nodes. `worlds` contains the text of the world by node. */
async function aMaster({
  isRecovering,
  listed,
}: {
  readonly isRecovering: boolean;
  readonly listed: readonly string[];
}) {
  const folder = temporaryFolder();
  const clock = { now: 1_000_000 };
  const now = (): number => clock.now;
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const settings = () => masterConfigSchema.parse({}).volumes;
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings, now },
  });
  const worlds = new Map<string, string>();
  const disk = { isFull: false };
  let transfers = 0;
  // The code for stray data needs only these calls of a runtime.
  const runtimeOf = (node: string) =>
    ({
      takeSnapshot: () => Promise.resolve(worlds.has(node)),
      readSnapshot: () => Promise.resolve({ files: [fileWith(worlds.get(node) ?? '')], skipped: [] }),
      fetchSnapshot: async (_, files, to) => {
        transfers += 1;
        if (disk.isFull) throw new Error('no space left');
        for (const { hash } of files) await writeFile(join(to, hash), worlds.get(node) ?? '');
      },
      endSnapshot: () => Promise.resolve(),
      forget: () => Promise.resolve(void worlds.delete(node)),
    }) satisfies Partial<Runtime> as unknown as Runtime;
  const registry = { nodes: () => listed.map((id) => aRentedNode(id)), listed: () => true };
  const records = { isRecovering, recovery: undefined, get: () => undefined };
  const adoptions = new Adoptions({ records, registry, ownNode: 'local' } as never);
  const log = pino({ level: 'silent' });
  const keep = keepStrayData({ volumes, adoptions, runtimeOf, events, now, log });
  const evictions = new Evictions({ runtimeOf, log, keep });
  const told = () => events.query({ limit: 20, kinds: ['node.failed'] }).map(({ subject }) => subject.id);
  return { volumes, worlds, disk, clock, adoptions, keep, evictions, told, transfers: () => transfers };
}

function fileWith(text: string) {
  const hash = createHash('sha256').update(text).digest('hex');
  return { path: 'world/level.dat', size: text.length, mode: 0o600, hash, modifiedAtMs: 1 };
}

describe('the files of a service on a node where the service does not belong', () => {
  it('stay on the node and prevent its release if the master does not know that the service ran there', async () => {
    const { volumes, worlds, evictions, told } = await aMaster({ isRecovering: false, listed: ['node-1'] });
    worlds.set('node-1', 'a world');
    await evictions.clear('node-1', ID);
    await evictions.clear('node-1', ID);
    expect(worlds.get('node-1')).toBe('a world');
    expect(volumes.all).toEqual([]);
    expect(told()).toEqual(['node-1']);
    expect(evictions.unsavedOn('node-1', false)).toEqual([ID]);
    // If a person releases the node, its unsaved data does not prevent the release, because the person has decided to
    // lose it.
    expect(evictions.unsavedOn('node-1', true)).toEqual([]);
    await evictions.forgetRemoved(() => false);
    expect(evictions.unsavedOn('node-1', false)).toEqual([]);
  });

  it('are removed if they contain nothing to save', async () => {
    const { evictions, told } = await aMaster({ isRecovering: false, listed: ['node-1'] });
    await evictions.clear('node-1', ID);
    expect(told()).toEqual([]);
    expect(evictions.unsavedOn('node-1', false)).toEqual([]);
  });

  it('are saved by a master that has lost its data, even if the first attempt fails', async () => {
    const { volumes, worlds, disk, adoptions, evictions } = await aMaster({
      isRecovering: true,
      listed: ['node-1', 'node-2'],
    });
    for (const node of ['node-1', 'node-2', 'node-3']) worlds.set(node, `the world on ${node}`);
    disk.isFull = true;
    await evictions.clear('node-1', ID);
    adoptions.nodesAnswered(['node-1', 'node-2', 'node-3']);
    expect(worlds.has('node-1')).toBe(true);
    disk.isFull = false;
    // Another node has an older copy. The master cannot find out which copy is newer, so it stores both copies.
    await evictions.clear('node-2', ID);
    expect(worlds.has('node-2')).toBe(false);
    const [volume] = volumes.all;
    expect(volume?.attachment?.node).toBe('node-1');
    expect(volume?.saves().map(({ node, current }) => [node, current])).toEqual([['node-2', false]]);
    // This node did not exist when the master started.
    await evictions.clear('node-3', ID);
    expect(worlds.has('node-3')).toBe(true);
  });

  it('stay on the node if three versions from this node are already saved', async () => {
    const { volumes, worlds, clock, keep, evictions, told, transfers } = await aMaster({
      isRecovering: false,
      listed: ['node-1', 'node-2', 'node-3'],
    });
    const volume = await volumes.make(ID);
    for (const node of ['node-1', 'node-2', 'node-3']) {
      await volume.attach(ID, node, true);
      worlds.set(node, `the world on ${node}`);
      await keep(node, ID);
    }
    expect(volume.attachment).toBeNull();
    const kept = volume.saves().map(({ save }) => save);
    for (let version = 1; version <= 3; version += 1) {
      worlds.set('node-1', `version ${version}`);
      await keep('node-1', ID);
    }
    const before = transfers();
    const refused = {
      code: 'SEPARATE_SAVES_LIMIT',
      details: { volume: 'survival/1', node: 'node-1', limit: 3 },
    };
    worlds.set('node-1', 'version 4');
    await evictions.clear('node-1', ID);
    await expect(keep('node-1', ID)).rejects.toMatchObject(refused);
    expect(worlds.get('node-1')).toBe('version 4');
    expect(transfers()).toBe(before);
    expect(told()).toEqual(['node-1']);
    // The rules do not release the node, but a person may.
    expect(evictions.unsavedOn('node-1', false)).toEqual([ID]);
    expect(evictions.unsavedOn('node-1', true)).toEqual([]);
    expect(volume.saves().map(({ save }) => save)).toEqual(expect.arrayContaining(kept));
    // The limit of another node is separate.
    worlds.set('node-2', 'another version');
    await keep('node-2', ID);
    expect(volume.saves()).toHaveLength(kept.length + 4);
    // Content that is already stored does not count as another version.
    await waitFor(() => volume.failure.recentOn('node-1') === null, {
      what: 'the end of the delay after a failure',
    });
    worlds.set('node-1', 'version 2');
    await keep('node-1', ID);
    worlds.set('node-1', 'version 4');
    clock.now += 31 * 86_400_000;
    await keep('node-1', ID);
    expect(volume.saves().map(({ save }) => save)).toEqual(expect.arrayContaining(kept));
    expect(volume.saves()).toHaveLength(kept.length + 1);
  });
});
