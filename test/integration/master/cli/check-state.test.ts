import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openRestoreNote } from '#master/backup/restore-note.ts';
import { openSettings } from '#master/backup/settings.ts';
import { openStatus } from '#master/backup/status-file.ts';
import { acquireLease } from '#master/store/lease.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { cliOf, type Printed } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let data: string;

beforeEach(async () => {
  data = join(temporaryFolder(), 'data');
  expect((await cli('init')).code).toBe(0);
});

const cli = (...args: readonly string[]): Promise<Printed> => cliOf(data)(...args);

async function check(): Promise<{ code: number; files: string[] }> {
  const { code, out } = await cli('check', '--state', '--json');
  return { code, files: (JSON.parse(out) as { file: string }[]).map(({ file }) => file) };
}

/** Returns the content of all files that may be in use. */
async function contents(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of await readdir(data, { recursive: true })) {
    const path = join(data, name);
    if ((await stat(path)).isFile()) files[name] = await readFile(path, 'utf8');
  }
  return files;
}

/** Stores a small world as the save of a volume of the running master. */
async function importWorld(volume: string): Promise<void> {
  const archive = join(temporaryFolder(), 'world.tar');
  execFileSync('tar', ['-C', temporaryFolder(), '-cf', archive, '.']);
  expect(await cli('volume', 'import', volume, archive)).toMatchObject({ code: 0 });
}

/** Writes the documents of backups, as commands for backups and restores do. */
async function noteBackups(): Promise<void> {
  const retention = { last: 1, daily: 1, weekly: 1 };
  const settings = { repository: '/mnt/backup', retention, schedule: null, scheduledAt: null };
  await (await openSettings(data)).update(() => settings);
  await (await openStatus(data)).update((before) => ({ ...before }));
  const note = { repository: '/mnt/backup', backup: '3f9c1a2b', at: 0, restoredAt: 0 };
  await (await openRestoreNote(data)).update(() => note);
}

/** Documents that people edit, copies of them, and files of people and services. */
const EDITED = /^(config\/master\.json|config\/templates\/|state\/last-good\/|(files|services|templates)\/)/;

/** Files that the master writes once: records of revisions and saves, and of downloads. */
const WRITTEN_ONCE = /^(revisions|java)\/|\/saves\//;

describe('the command check --state', () => {
  it('accepts all files of a master that has run, and changes none of them', async () => {
    const master = new MasterProcess(data, { from: 30_000, to: 30_010 });
    await master.start();
    await master.terminate();
    const before = await contents();
    expect(Object.keys(before)).toContain('config/link.json');
    expect(await check()).toEqual({ code: 0, files: [] });
    expect(await contents()).toEqual(before);
  });

  it('reads each JSON document that a running master has written, except those that people edit', async () => {
    const master = new MasterProcess(data, { from: 30_000, to: 30_010 });
    await master.start();
    const { publicKey } = makePerson('anna');
    await master.call('keys.add', { name: 'anna', role: 'owner', publicKey });
    await master.call('nodes.hold', { id: 'local', held: true });
    await importWorld('survival/1');
    await master.terminate();
    await noteBackups();
    const documents = Object.keys(await contents()).filter(
      (file) => file.endsWith('.json') && !EDITED.test(file) && !WRITTEN_ONCE.test(file),
    );
    const expected = ['backup/restored.json', 'backup/settings.json', 'volumes/survival/1/volume.json'];
    expect(documents).toEqual(expect.arrayContaining(['config/keys.json', 'state/holds.json', ...expected]));
    for (const file of documents) await writeFile(join(data, file), '5');
    expect((await check()).files.sort()).toEqual(documents.sort());
  });

  it('names each file that this version cannot read, and changes none of them', async () => {
    await mkdir(join(data, 'state'), { recursive: true });
    const faulty = [
      ...[
        'config/cluster.json',
        'config/forwarding.json',
        'config/host_key',
        'config/keys.json',
        'config/link.json',
        'config/node_key',
      ],
      ...['state/allowances.json', 'state/costs.json', 'state/holds.json', 'state/node-times.json'],
      ...['state/creating-templates.json', 'state/local-node.json', 'state/nodes.json'],
      ...['state/services.json', 'state/software.json', 'state/unsaved-files.json'],
    ];
    for (const file of faulty) await writeFile(join(data, file), '{"format": 2}', { mode: 0o600 });
    // This document is faulty only because it is an array: all its fields may be missing.
    await writeFile(join(data, 'state/holds.json'), '[]', { mode: 0o600 });
    const before = await contents();
    const found = await check();
    expect(found.code).toBe(1);
    expect(found.files.sort()).toEqual([...faulty].sort());
    expect(await contents()).toEqual(before);
  });

  it('accepts the documents of an unfinished creation of templates, even if the software folder is missing', async () => {
    await mkdir(join(data, 'state'), { recursive: true });
    await writeFile(join(data, 'state/creating-templates.json'), '{"templates": ["lobby"]}');
    await writeFile(join(data, 'state/local-node.json'), '{"readyAt": null}');
    await writeFile(join(data, 'state/software.json'), '{"builds": []}');
    await rm(join(data, 'software'), { recursive: true, force: true });
    const before = await contents();
    expect(await check()).toEqual({ code: 0, files: [] });
    expect(await contents()).toEqual(before);
    await expect(stat(join(data, 'software'))).rejects.toThrow('ENOENT');
  });

  it('never creates the forwarding secret', async () => {
    await writeFile(join(data, 'config/forwarding.json'), 'null', { mode: 0o600 });
    expect(await check()).toEqual({ code: 0, files: [] });
    expect(await readFile(join(data, 'config/forwarding.json'), 'utf8')).toBe('null');
  });

  it('refuses a data folder that a running master uses', async () => {
    const lease = await acquireLease(data);
    const { code, err } = await cli('check', '--state');
    expect(code).toBe(1);
    expect(err).toContain('Another master');
    await lease.release();
    expect((await cli('check', '--state')).code).toBe(0);
  });

  it('does not create a missing folder', async () => {
    data = join(temporaryFolder(), 'none');
    expect((await cli('check', '--state')).code).toBe(1);
    await expect(stat(data)).rejects.toThrow('ENOENT');
  });
});
