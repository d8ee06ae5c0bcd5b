import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import type { TakeFiles } from '#master/volumes/taken-files.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival-1';
const SETTINGS = masterConfigSchema.parse({}).volumes;

/** Opens the volumes in a folder. Each call of its clock returns a later time. */
async function openVolumes(
  folder = temporaryFolder(),
  { make = ID, now = 1_000_000, retention = SETTINGS.retention } = {},
) {
  const clock = { now };
  const volumes = await Volumes.open({
    ...{ folder, disks: noReserves(), settings: () => ({ ...SETTINGS, retention }) },
    copies: dataFolderAt(temporaryFolder()),
    now: () => (clock.now += 1_000),
  });
  return { volumes, volume: await volumes.make(make), folder, clock };
}

/** Returns a world with one file. */
function world(text: string, at: number): TakeFiles {
  return async ({ folder }) => {
    const hash = createHash('sha256').update(text).digest('hex');
    await writeFile(join(folder, hash), text);
    const file = { path: 'world/level.dat', size: text.length, mode: 0o600, hash, modifiedAtMs: at };
    return { files: [file], at, consistent: true };
  };
}

function by(node: string) {
  return { service: ID, node, cause: 'a test' };
}

describe('a volume', () => {
  it('begins no save on a node before the node knows that the previous save is stored', async () => {
    const { volume } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    const steps: string[] = [];
    const save = (name: string) =>
      volume.save(
        by('node-1'),
        (target) => {
          steps.push(`${name} begins`);
          return world(name, 2_000_000)(target);
        },
        async () => {
          // As on a node, the acknowledgement writes to the disk and takes a moment.
          await writeFile(join(temporary, name), '');
          steps.push(`${name} is acknowledged`);
        },
      );
    const temporary = temporaryFolder();
    await Promise.all([save('first'), save('second')]);
    expect(steps).toEqual([
      'first begins',
      'first is acknowledged',
      'second begins',
      'second is acknowledged',
    ]);
  });

  it('loses only the unfinished files of a killed master when the next master opens it', async () => {
    const { volumes, folder } = await openVolumes();
    await volumes.close();
    const volume = join(folder, 'survival/1');
    await mkdir(join(volume, 'incoming-abc'));
    for (const name of ['volume.json.143085602', 'volume.json.old']) await writeFile(join(volume, name), '{');
    await openVolumes(folder);
    expect((await readdir(volume)).sort()).toEqual(['saves', 'volume.json.old']);
  });

  it('refuses, before the transfer, a file whose path is too long', async () => {
    const { volume } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    const path = Array.from({ length: 13 }, () => 'n'.repeat(250)).join('/');
    const file = { path, size: 1, mode: 0o600, hash: 'a'.repeat(64), modifiedAtMs: 1 };
    let transfers = 0;
    const saving = volume.save(by('node-1'), async ({ requireAllowed }) => {
      await requireAllowed([file]);
      transfers += 1;
      return { files: [file], at: 2_000_000, consistent: true };
    });
    await expect(saving).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED', details: { node: 'node-1' } });
    expect([transfers, volume.saves()]).toEqual([0, []]);
  });

  it('no longer counts a data loss as accepted after the volume was saved again', async () => {
    const { volume } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    await volume.acceptLoss();
    expect(volume.attachment?.lossAccepted).toBe(true);
    await volume.save(by('node-1'), world('later', 2_000_000));
    expect(volume.attachment).toMatchObject({ lossAccepted: false, savedAt: 2_000_000 });
  });

  it('shows why a save has failed until a save from the node of its service succeeds', async () => {
    const { volume } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    const failure = new OverworldError('VOLUME_SAVE_FAILED', {
      volume: 'survival/1',
      node: 'node-1',
      why: 'a test',
    });
    volume.noteProblem({ ...by('node-1'), exited: true }, failure);
    await volume.save(by('node-2'), world('of a node that was given up', 2_000_000));
    await volume.save(by('node-1'), () => Promise.resolve(null));
    expect(volume.problem).toBe(failure.message);
    expect(volume.failure.recentOn('node-1')).toBe(failure);
    await volume.save(by('node-1'), world('newest', 3_000_000));
    expect(volume.problem).toBeNull();
    expect(volume.failure.recentOn('node-1')).toBeNull();
  });

  it('knows all nodes that may have its data, even if nothing was saved from them', async () => {
    const { volume, folder } = await openVolumes();
    for (const node of ['node-1', 'node-2', 'node-3']) {
      await volume.attach(ID, node, true);
      await volume.detach(ID, node);
    }
    const { volume: reopened } = await openVolumes(folder);
    expect(['node-1', 'node-2', 'node-3', 'node-4'].map((node) => reopened.mayBeOn(node))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('stores older data of a node as a separate save, even if the service is about to start on this node', async () => {
    const { volume } = await openVolumes();
    await volume.attach(ID, 'node-2', true);
    const newest = await volume.save(by('node-2'), world('newest', 2_000_000));
    await volume.detach(ID, 'node-2');
    await volume.attach(ID, 'node-1');
    await volume.save(by('node-1'), world('of earlier', 3_000_000));
    expect(volume.saves().map(({ save, current }) => [save === newest?.save, current])).toEqual([
      [true, true],
      [false, false],
    ]);
    await volume.markStarted(ID, 'node-1');
    const next = await volume.save(by('node-1'), world('next', 4_000_000));
    expect(next?.current).toBe(true);
  });

  it('may have unsaved data on a node only after its service was started there', async () => {
    const { volume, volumes } = await openVolumes();
    await volume.attach(ID, 'node-1');
    expect(volumes.snapshot(() => null)).toMatchObject([{ attachedTo: 'node-1', mayBeUnsaved: false }]);
    await volume.markStarted(ID, 'node-1');
    expect(volumes.snapshot(() => null)).toMatchObject([{ attachedTo: 'node-1', mayBeUnsaved: true }]);
    await volume.detach(ID, 'node-1');
    expect(volumes.snapshot(() => null)).toMatchObject([{ attachedTo: null, mayBeUnsaved: false }]);
  });

  it('uses a separate save only after a restore, even if it is the only save and the master restarts', async () => {
    const { volume, folder } = await openVolumes();
    await volume.attach(ID, 'node-2', true);
    const aside = await volume.save(by('node-1'), world('of a node that was given up', 3_000_000));
    expect(aside?.current).toBe(false);
    for (const one of [volume, (await openVolumes(folder)).volume]) {
      expect(one.saves().map(({ save, current }) => [save, current])).toEqual([[aside?.save, false]]);
      expect(one.hasSaves).toBe(false);
      expect(await one.lease()).toBeNull();
    }
    const { volume: reopened } = await openVolumes(folder);
    const newest = await reopened.save(by('node-2'), world('newest', 2_000_000));
    expect(reopened.saves().map(({ save }) => save)).toEqual([newest?.save, aside?.save]);
    await reopened.detach(ID, 'node-2');
    await reopened.restore(aside?.save ?? '', 'a test');
    const { volume: restored } = await openVolumes(folder);
    expect(restored.saves()[0]).toMatchObject({ save: aside?.save, current: true });
  });

  it('stores a separate save even if the newest save that had its files is removed during the transfer', async () => {
    const retention = { last: 1, daily: 0, weekly: 0 };
    const { volume, folder } = await openVolumes(temporaryFolder(), { retention });
    await volume.attach(ID, 'node-2', true);
    const shared = await volume.save(by('node-2'), world('a shared world', 2_000_000));
    const aside = await volume.save(by('node-1'), async (target) => {
      const taken = await world('a shared world', 2_500_000)({ ...target, folder: temporaryFolder() });
      expect(await target.missing(taken?.files ?? [])).toEqual([]);
      await volume.save(by('node-2'), world('newest', 3_000_000));
      await volume.save(by('node-2'), world('newer still', 4_000_000));
      const other = taken?.files.map((file) => ({ ...file, path: 'world/moved.dat' })) ?? [];
      return { files: other, at: 2_500_000, consistent: true };
    });
    expect(aside).toMatchObject({ node: 'node-1', current: false });
    const file = join(folder, 'survival/1/saves', aside?.save ?? '', 'world/moved.dat');
    expect(await readFile(file, 'utf8')).toBe('a shared world');
    await volume.save(by('node-2'), world('newest of all', 5_000_000));
    expect(volume.saves().map(({ save }) => save)).not.toContain(shared?.save);
    expect(volume.saves()).toHaveLength(2);
  });

  it('keeps its newest save even if an old separate save has the same content', async () => {
    const { volume, folder, clock } = await openVolumes();
    await volume.attach(ID, 'node-2', true);
    await volume.save(by('node-2'), world('earlier', 2_000_000));
    const aside = await volume.save(by('node-1'), world('the same world', 3_000_000));
    expect(aside?.current).toBe(false);
    clock.now += 31 * 86_400_000;
    const newest = await volume.save(by('node-2'), world('the same world', clock.now));
    expect(newest).toMatchObject({ save: aside?.save, current: true });
    for (const one of [volume, (await openVolumes(folder)).volume]) {
      const lease = await one.lease();
      expect(await readFile(lease?.pathOf('world/level.dat') ?? '', 'utf8')).toBe('the same world');
      lease?.release();
      expect(one.saves().map(({ save }) => save)).toContain(aside?.save);
    }
  });
});

describe('the saves that a volume keeps', () => {
  const DAY = 86_400_000;
  /** Returns the time of a save (ms since epoch): a minute of a day. */
  const on = (day: number, minute = 0): number => (20_000 + day) * DAY + minute * 60_000;

  /** Opens a volume that a service uses. Returns functions that make saves, and list the days that have saves. */
  async function openUsed(retention: typeof SETTINGS.retention, folder = temporaryFolder()) {
    const { volume, clock } = await openVolumes(folder, { now: on(0), retention });
    await volume.attach(ID, 'node-1', true);
    const save = async (at: number, text = `world ${at}`, node = 'node-1') => {
      clock.now = Math.max(clock.now, at);
      return (await volume.save(by(node), world(text, at)))?.save ?? '';
    };
    return {
      ...{ volume, clock, save },
      has: (id: string) => volume.saves().some((one) => one.save === id),
      days: () => [...new Set(volume.saves().map(({ at }) => Math.floor(at / DAY) - 20_000))],
      restore: async (id: string) => {
        await volume.detach(ID, 'node-1');
        await volume.restore(id, 'a test');
        await volume.attach(ID, 'node-1', true);
      },
    };
  }

  it('include the newest save of an earlier day, even after it was restored', async () => {
    const { save, has, restore } = await openUsed({ last: 2, daily: 5, weekly: 0 });
    const monday = await save(on(0));
    for (const day of [1, 2, 3, 4]) await save(on(day));
    await restore(monday);
    for (const minute of [10, 20, 30]) await save(on(4, minute));
    expect(has(monday)).toBe(true);
  });

  it('include saves of earlier days, even if the clock was ahead during one save', async () => {
    const { save, days } = await openUsed({ last: 2, daily: 4, weekly: 0 });
    await save(on(0));
    await save(on(30));
    for (const day of [1, 2, 3, 4]) for (const minute of [0, 10, 20]) await save(on(day, minute));
    expect(days()).toEqual([4, 3, 2, 1, 30]);
  });

  it('include a separate save for 30 days, even after it was restored and saved again unchanged', async () => {
    const folder = temporaryFolder();
    const retention = { last: 1, daily: 0, weekly: 0 };
    const { volume, save, has, restore, clock } = await openUsed(retention, folder);
    await save(on(0));
    const separate = await save(on(0, 1), 'of a node that was given up', 'node-2');
    await restore(separate);
    expect(await save(on(0, 2), 'of a node that was given up')).toBe(separate);
    for (const day of [1, 2]) await save(on(day));
    expect(volume.saves()).toHaveLength(2);
    expect(has(separate)).toBe(true);
    clock.now = on(29);
    await save(on(29));
    expect(has(separate)).toBe(true);
    clock.now = on(31);
    await save(on(31));
    expect(has(separate)).toBe(false);
  });
});

describe('the disk space that a volume uses', () => {
  it('is computed once for simultaneous requests, and again after each save', async () => {
    const { volume } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    await volume.save(by('node-1'), world('12345', 2_000_000));
    const counting = volume.storedBytes();
    expect(volume.storedBytes()).toBe(counting);
    expect(await counting).toBe(5);
    await volume.save(by('node-1'), world('1234567', 3_000_000));
    expect(await volume.storedBytes()).toBe(12);
  });

  it('is computed after a further save without reading the records of the other saves again', async () => {
    const { volume, folder } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    const first = await volume.save(by('node-1'), world('12345', 2_000_000));
    await volume.save(by('node-1'), world('1234567', 3_000_000));
    expect(await volume.storedBytes()).toBe(12);
    await writeFile(join(folder, 'survival/1/saves', `${first?.save}.json`), 'not a record');
    await volume.save(by('node-1'), world('123', 4_000_000));
    expect(await volume.storedBytes()).toBe(15);
  });

  it('does not include saves that the retention has removed', async () => {
    const { volume } = await openVolumes(temporaryFolder(), { retention: { last: 2, daily: 0, weekly: 0 } });
    await volume.attach(ID, 'node-1', true);
    const counts: number[] = [];
    for (const [n, text] of ['12345', '1234567', '12345', '1', '1234567890'].entries()) {
      await volume.save(by('node-1'), world(text, 2_000_000 + n));
      counts.push(await volume.storedBytes());
    }
    expect(counts).toEqual([5, 12, 12, 6, 11]);
  });
});

describe('a damaged volume', () => {
  async function damaged(damage: (folder: string, save: string) => Promise<string>) {
    const { volume, folder } = await openVolumes();
    await volume.attach(ID, 'node-1', true);
    const save = await volume.save(by('node-1'), world('a world', 2_000_000));
    const path = await damage(join(folder, 'survival', '1'), save?.save ?? '');
    const before = await readdir(folder, { recursive: true });
    const { volumes } = await openVolumes(folder, { make: 'survival-2' });
    return {
      volumes,
      path,
      isUnchanged: async () => hasAll(await readdir(folder, { recursive: true }), before),
    };
  }
  const hasAll = (now: readonly string[], before: readonly string[]) =>
    before.every((one) => now.includes(one));

  it.each([
    {
      part: 'document',
      damage: async (folder: string) => {
        const path = join(folder, 'volume.json');
        await truncate(path, 40);
        return path;
      },
    },
    {
      part: 'newest record',
      damage: async (folder: string, save: string) => {
        const path = join(folder, 'saves', `${save}.json`);
        await truncate(path, (await stat(path)).size - 10);
        return path;
      },
    },
  ])('keeps all its files, and other volumes can be used: damaged $part', async ({ damage }) => {
    const { volumes, path, isUnchanged } = await damaged(damage);
    const [{ id, problem } = { id: '', problem: null }] = volumes.damaged;
    expect(id).toBe('survival/1');
    expect(problem?.message).toContain(path);
    expect(problem?.message).toContain('Restore this file from a backup');
    expect(volumes.all.map((one) => one.id)).toEqual(['survival/2']);
    expect(volumes.snapshot(() => 'node-1').find(({ service }) => service === ID)).toMatchObject({
      ...{ attachedTo: 'node-1', mayBeUnsaved: true },
      ...{ problem: problem?.message, unsavable: problem?.message },
    });
    const refused = { code: 'VOLUME_DAMAGED' };
    await expect(volumes.make(ID)).rejects.toMatchObject(refused);
    await expect(volumes.remove('survival/1')).rejects.toMatchObject(refused);
    await expect(volumes.clone({ from: 'survival/2', to: 'survival/1' }, 'a test')).rejects.toMatchObject(
      refused,
    );
    expect(volumes.of(ID)).toBeUndefined();
    expect(await isUnchanged()).toBe(true);
  });
});
