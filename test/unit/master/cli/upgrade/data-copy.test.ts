import { pbkdf2 } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AsUser } from '#master/cli/machine/as-user.ts';
import { mustRun, runProgram } from '#master/cli/machine/run-program.ts';
import {
  copyData,
  copyForCheck,
  dataBytes,
  findChanges,
  restoreData,
} from '#master/cli/upgrade/data-copy.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const as: AsUser = {
  user: userInfo().username,
  run: (program, args) => runProgram(program, args),
  must: (program, args) => mustRun(program, args),
};

const DOCUMENTS = [
  'backup/settings.json',
  'config/master.json',
  'config/templates/lobby.json',
  'state/nodes.json',
  'volumes/survival/1/volume.json',
];
const OTHERS = ['backup/cache/config.json', 'templates/lobby/motd', 'volumes/survival/1/saves/volume.json'];

let data: string;
let copy: string;

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(data, dirname(path)), { recursive: true });
  await writeFile(join(data, path), text);
}

beforeEach(async () => {
  data = temporaryFolder();
  copy = join(temporaryFolder(), 'copy');
  await mkdir(join(data, 'files'));
  for (const path of [...DOCUMENTS, ...OTHERS]) await write(path, `old ${path}`);
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
}

describe('the copy of the data before an upgrade', () => {
  it('contains each document of the master, and no files of people', async () => {
    await copyData(data, copy, as);
    expect(await filesIn(copy)).toEqual(DOCUMENTS);
    expect(await dataBytes(data)).toBeGreaterThan(0);
  });

  it('restores each document that the newer version has changed, added or removed', async () => {
    await copyData(data, copy, as);
    const [volume, added, removed] = [
      'volumes/survival/1/volume.json',
      'volumes/survival/2/volume.json',
      'backup/settings.json',
    ];
    await write(volume, 'new');
    await write(added, 'new');
    await rm(join(data, removed));
    const changes = await findChanges(data, copy, as);
    expect(changes).toEqual([removed, volume, added]);
    const decisions = changes.map((path) => ({ path, action: 'restore' }) as const);
    await restoreData({ data, copy }, decisions, as);
    expect(await findChanges(data, copy, as)).toEqual([]);
    expect(await readFile(join(data, volume), 'utf8')).toBe(`old ${volume}`);
  });

  it('reaches the disk before it appears', async () => {
    const ran: { line: string; isComplete: boolean }[] = [];
    await copyData(data, copy, {
      ...as,
      must: (program, args) => {
        ran.push({ line: [program, ...args].join(' '), isComplete: existsSync(copy) });
        return as.must(program, args);
      },
    });
    expect(ran.at(-1)).toEqual({ line: `sync -f -- ${copy}.part`, isComplete: false });
    expect(await filesIn(copy)).toEqual(DOCUMENTS);
  });

  it('is restored on the disk of each changed file', async () => {
    await copyData(data, copy, as);
    const lines: string[] = [];
    const watching: AsUser = {
      ...as,
      must: (program, args) => {
        lines.push([program, ...args].join(' '));
        return as.must(program, args);
      },
    };
    const path = 'config/master.json';
    await write(path, 'new');
    await restoreData({ data, copy }, [{ path, action: 'leave' }], watching);
    expect(lines).toEqual([]);
    const state = { path: 'state/nodes.json', action: 'remove' } as const;
    await restoreData({ data, copy }, [{ path, action: 'restore' }, state], watching);
    expect(lines.at(-1)).toBe(`sync -f -- ${join(data, 'config')} ${join(data, 'state')}`);
    expect(await readFile(join(data, path), 'utf8')).toBe(`old ${path}`);
  });

  it('is possible for a data folder without volumes and backups, and links template files for a check', async () => {
    for (const name of ['backup', 'volumes']) await rm(join(data, name), { recursive: true });
    await copyForCheck(data, copy, as);
    expect((await readdir(copy)).sort()).toEqual(['config', 'files', 'state', 'templates']);
    expect(await readFile(join(copy, 'templates/lobby/motd'), 'utf8')).toBe('old templates/lobby/motd');
  });

  it.each(['config', 'state', 'volumes'])(
    'leaves out lost+found if %s/ is a disk of its own',
    async (folder) => {
      await write(`${folder}/lost+found/1/volume.json`, 'found by fsck');
      await copyForCheck(data, copy, as);
      expect((await filesIn(copy)).filter((path) => path.includes('lost+found'))).toEqual([]);
      expect(await findChanges(data, copy, as)).toEqual([]);
      expect(await dataBytes(data)).toBeGreaterThan(0);
    },
  );

  it('leaves out volumes that are deleted during the copy', async () => {
    await write('volumes/survival/2/volume.json', 'soon deleted');
    const deleting: AsUser = {
      ...as,
      must: async (program, args) => {
        await rm(join(data, 'volumes/survival/2'), { recursive: true, force: true });
        return as.must(program, args);
      },
    };
    await copyData(data, copy, deleting);
    expect(await filesIn(copy)).toEqual(DOCUMENTS);
  });

  it('has a known size even if a folder of volumes is deleted while it is listed', async () => {
    // While these calculations occupy all threads of Node.js, no listing can begin.
    const occupying = Array.from({ length: 16 }, () => promisify(pbkdf2)('', '', 20_000, 64, 'sha512'));
    const counting = dataBytes(data);
    await setImmediate();
    rmSync(join(data, 'volumes'), { recursive: true });
    const [bytes] = await Promise.all([counting, ...occupying]);
    expect(bytes).toBeGreaterThan(0);
  });
});
