import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Holds } from '#master/control/overrides/overrides.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const NOTHING = { held: false, locked: false, schedule: null, byRules: false };

function aPath(): string {
  return join(temporaryFolder(), 'holds.json');
}

describe('what is wished of templates and nodes', () => {
  it('is on disk when it is acknowledged, and read again', async () => {
    const path = aPath();
    const holds = await Holds.open(path);
    expect(await holds.holdTemplate('lobby', true)).toBe(true);
    expect(await holds.holdTemplate('lobby', true)).toBe(false);
    expect(await holds.changeNode('node-1', () => ({ locked: true }))).toBe(true);
    expect(await holds.changeNode('node-1', () => ({ locked: true }))).toBe(false);
    expect(await holds.drainByRules('node-2')).toBe(true);

    const again = await Holds.open(path);
    expect(again.isTemplateHeld('lobby')).toBe(true);
    expect(again.ofNode('node-1')).toEqual({ ...NOTHING, locked: true });
    expect(again.ofNode('node-2')).toEqual({ ...NOTHING, schedule: 'drain', byRules: true });
    expect(again.ofNode('node-3')).toEqual(NOTHING);
  });

  it('leaves nothing behind once it is taken back', async () => {
    const path = aPath();
    const holds = await Holds.open(path);
    await holds.holdTemplate('lobby', true);
    await holds.changeNode('node-1', () => ({ schedule: 'cordon', held: true }));
    await holds.holdTemplate('lobby', false);
    await holds.changeNode('node-1', () => ({ schedule: null, held: false }));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ templates: [], leaving: {}, nodes: {} });
  });

  it('by the rules never goes against a person', async () => {
    const holds = await Holds.open(aPath());
    for (const wish of [{ held: true }, { locked: true }, { schedule: 'cordon' as const }]) {
      await holds.changeNode('node-1', () => ({ ...NOTHING, ...wish }));
      expect(await holds.drainByRules('node-1')).toBe(false);
    }
    await holds.changeNode('node-1', () => ({ ...NOTHING, schedule: 'drain' }));
    expect(await holds.resumeByRules('node-1')).toBe(false);
    await holds.changeNode('node-1', () => NOTHING);
    expect(await holds.drainByRules('node-1')).toBe(true);
    expect(await holds.resumeByRules('node-1')).toBe(true);
    expect(holds.ofNode('node-1')).toEqual(NOTHING);
  });

  it('is forgotten with what it was about, and only then written', async () => {
    const path = aPath();
    const holds = await Holds.open(path);
    await holds.holdTemplate('lobby', true);
    await holds.holdTemplate('games', true);
    await holds.changeNode('node-1', () => ({ held: true }));
    const { mtimeMs } = await stat(path);
    await holds.tidy({ template: () => true, nodes: ['node-1', 'node-2'] });
    expect((await stat(path)).mtimeMs).toBe(mtimeMs);
    await holds.tidy({ template: (id) => id === 'games', nodes: ['node-2'] });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      templates: ['games'],
      leaving: {},
      nodes: {},
    });
    expect(holds.isTemplateHeld('lobby')).toBe(false);
  });

  it('of an older master may lack fields, and a file that is no such thing is refused and left alone', async () => {
    const path = aPath();
    await writeFile(path, '{"nodes": {"node-1": {"locked": true}}}');
    expect((await Holds.open(path)).ofNode('node-1')).toEqual({ ...NOTHING, locked: true });
    await writeFile(path, '{"nodes": 7}');
    await expect(Holds.open(path)).rejects.toMatchObject({ code: 'DATA_FAULTY', details: { path } });
    expect(await readFile(path, 'utf8')).toBe('{"nodes": 7}');
  });

  it('is refused once it is closed, and not written: another master may hold the file', async () => {
    const path = aPath();
    const holds = await Holds.open(path);
    await holds.close();
    await expect(holds.holdTemplate('lobby', true)).rejects.toMatchObject({ code: 'MASTER_ENDING' });
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is that a template is to go, once, until that is taken back or it is gone', async () => {
    const path = aPath();
    const holds = await Holds.open(path);
    const leaving = { since: 7, cause: 'asked for by ana' };
    expect(await holds.leaveTemplate('lobby', leaving)).toBe(true);
    expect(await holds.leaveTemplate('lobby', { since: 8, cause: 'again' })).toBe(false);
    expect((await Holds.open(path)).leavingOf('lobby')).toEqual(leaving);
    expect((await Holds.open(path)).leaving).toEqual(['lobby']);
    await holds.holdTemplate('lobby', true);
    await holds.forgetTemplate('lobby');
    const again = await Holds.open(path);
    expect([again.leavingOf('lobby'), again.isTemplateHeld('lobby')]).toEqual([null, false]);
    await holds.leaveTemplate('games', leaving);
    await holds.tidy({ template: (id) => id !== 'games', nodes: [] });
    expect(holds.leaving).toEqual([]);
  });

  it.skipIf(!canMount)('is not granted when it cannot be stored', async () => {
    const disk = smallDisk(4);
    const holds = await Holds.open(join(disk, 'holds.json'));
    await fillDisk(disk);
    await expect(holds.holdTemplate('lobby', true)).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(holds.isTemplateHeld('lobby')).toBe(false);
    await expect(holds.drainByRules('node-1')).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(holds.ofNode('node-1')).toEqual(NOTHING);
  });
});
