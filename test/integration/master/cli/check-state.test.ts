import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
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
  for (const folder of ['config', 'state']) {
    for (const name of await readdir(join(data, folder), { recursive: true })) {
      const path = join(data, folder, name);
      if ((await stat(path)).isFile()) files[`${folder}/${name}`] = await readFile(path, 'utf8');
    }
  }
  return files;
}

/** Documents that people edit, and copies of them. */
const EDITED = /^(config\/master\.json|config\/templates\/|state\/last-good\/)/;

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
    await master.terminate();
    const documents = Object.keys(await contents()).filter(
      (file) => file.endsWith('.json') && !EDITED.test(file),
    );
    expect(documents).toEqual(expect.arrayContaining(['config/keys.json', 'state/holds.json']));
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
      ...['state/services.json', 'state/software.json'],
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
