import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const NOTHING = { held: false, locked: false, schedule: null, byRules: false };

function aPath(): string {
  return join(temporaryFolder(), 'holds.json');
}

describe('the stored overrides (pauses, protections and drains)', () => {
  it('are on the disk when a change is confirmed', async () => {
    const path = aPath();
    const overrides = await Overrides.open(path);
    expect(await overrides.holdTemplate('lobby', true)).toBe(true);
    expect(await overrides.holdTemplate('lobby', true)).toBe(false);
    expect(await overrides.changeNode('node-1', () => ({ locked: true }))).toBe(true);
    expect(await overrides.changeNode('node-1', () => ({ locked: true }))).toBe(false);
    expect(await overrides.drainByRules('node-2')).toBe(true);

    const again = await Overrides.open(path);
    expect(again.isTemplateHeld('lobby')).toBe(true);
    expect(again.ofNode('node-1')).toEqual({ ...NOTHING, locked: true });
    expect(again.ofNode('node-2')).toEqual({ ...NOTHING, schedule: 'drain', byRules: true });
    expect(again.ofNode('node-3')).toEqual(NOTHING);
  });

  it('exist only if they were set, also for a template or node with the name of a property of each object', async () => {
    const path = aPath();
    const overrides = await Overrides.open(path);
    expect(overrides.leavingOf('constructor')).toBeNull();
    expect(overrides.ofNode('constructor')).toEqual(NOTHING);
    const deletion = { since: 5, cause: 'deleted by anna' };
    expect(await overrides.leaveTemplate('constructor', deletion)).toBe(true);
    expect(await overrides.changeNode('constructor', () => ({ held: true }))).toBe(true);

    const again = await Overrides.open(path);
    expect(again.leavingOf('constructor')).toEqual(deletion);
    expect(again.leaving).toEqual(['constructor']);
    expect(again.ofNode('constructor')).toEqual({ ...NOTHING, held: true });
  });

  it('are removed from their file when they end', async () => {
    const path = aPath();
    const overrides = await Overrides.open(path);
    await overrides.holdTemplate('lobby', true);
    await overrides.changeNode('node-1', () => ({ schedule: 'cordon', held: true }));
    await overrides.holdTemplate('lobby', false);
    await overrides.changeNode('node-1', () => ({ schedule: null, held: false }));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ templates: [], leaving: {}, nodes: {} });
  });

  it('are never replaced by the rules if a person has set them', async () => {
    const overrides = await Overrides.open(aPath());
    for (const wish of [{ held: true }, { locked: true }, { schedule: 'cordon' as const }]) {
      await overrides.changeNode('node-1', () => ({ ...NOTHING, ...wish }));
      expect(await overrides.drainByRules('node-1')).toBe(false);
    }
    await overrides.changeNode('node-1', () => ({ ...NOTHING, schedule: 'drain' }));
    expect(await overrides.resumeByRules('node-1')).toBe(false);
    await overrides.changeNode('node-1', () => NOTHING);
    expect(await overrides.drainByRules('node-1')).toBe(true);
    expect(await overrides.resumeByRules('node-1')).toBe(true);
    expect(overrides.ofNode('node-1')).toEqual(NOTHING);
  });

  it('are removed from their file if the template or node does not exist any more', async () => {
    const path = aPath();
    const overrides = await Overrides.open(path);
    await overrides.holdTemplate('lobby', true);
    await overrides.holdTemplate('games', true);
    await overrides.changeNode('node-1', () => ({ held: true }));
    const { mtimeMs } = await stat(path);
    await overrides.tidy({ template: () => true, nodes: ['node-1', 'node-2'] });
    expect((await stat(path)).mtimeMs).toBe(mtimeMs);
    await overrides.tidy({ template: (id) => id === 'games', nodes: ['node-2'] });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      templates: ['games'],
      leaving: {},
      nodes: {},
    });
    expect(overrides.isTemplateHeld('lobby')).toBe(false);
  });

  it('are read from a file of an older version, and an invalid file is rejected', async () => {
    const path = aPath();
    await writeFile(path, '{"nodes": {"node-1": {"locked": true}}}');
    expect((await Overrides.open(path)).ofNode('node-1')).toEqual({ ...NOTHING, locked: true });
    await writeFile(path, '{"nodes": 7}');
    await expect(Overrides.open(path)).rejects.toMatchObject({ code: 'DATA_FAULTY', details: { path } });
    expect(await readFile(path, 'utf8')).toBe('{"nodes": 7}');
  });

  it('cannot be changed after they were closed, because the next master may already use the file', async () => {
    const path = aPath();
    const overrides = await Overrides.open(path);
    await overrides.close();
    await expect(overrides.holdTemplate('lobby', true)).rejects.toMatchObject({ code: 'MASTER_ENDING' });
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('keep a template marked for deletion until the deletion is cancelled or complete', async () => {
    const path = aPath();
    const overrides = await Overrides.open(path);
    const leaving = { since: 7, cause: 'requested by ana' };
    expect(await overrides.leaveTemplate('lobby', leaving)).toBe(true);
    expect(await overrides.leaveTemplate('lobby', { since: 8, cause: 'again' })).toBe(false);
    expect((await Overrides.open(path)).leavingOf('lobby')).toEqual(leaving);
    expect((await Overrides.open(path)).leaving).toEqual(['lobby']);
    await overrides.holdTemplate('lobby', true);
    await overrides.forgetTemplate('lobby');
    const again = await Overrides.open(path);
    expect([again.leavingOf('lobby'), again.isTemplateHeld('lobby')]).toEqual([null, false]);
    await overrides.leaveTemplate('games', leaving);
    await overrides.tidy({ template: (id) => id !== 'games', nodes: [] });
    expect(overrides.leaving).toEqual([]);
  });

  it.skipIf(!canMount)('do not take effect if they cannot be stored', async () => {
    const disk = smallDisk(4);
    const overrides = await Overrides.open(join(disk, 'holds.json'));
    await fillDisk(disk);
    await expect(overrides.holdTemplate('lobby', true)).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(overrides.isTemplateHeld('lobby')).toBe(false);
    await expect(overrides.drainByRules('node-1')).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(overrides.ofNode('node-1')).toEqual(NOTHING);
  });
});
