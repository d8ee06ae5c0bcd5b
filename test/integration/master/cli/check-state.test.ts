import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { acquireLease } from '#master/store/lease.ts';
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

  it('names each file that this version cannot read', async () => {
    await mkdir(join(data, 'state'), { recursive: true });
    const faulty = [
      ...[
        'config/cluster.json',
        'config/host_key',
        'config/keys.json',
        'config/link.json',
        'config/node_key',
      ],
      ...['state/allowances.json', 'state/costs.json', 'state/holds.json', 'state/node-times.json'],
      ...['state/nodes.json', 'state/services.json'],
    ];
    for (const file of faulty) await writeFile(join(data, file), '{"format": 2}', { mode: 0o600 });
    // All fields of this document may be missing.
    await writeFile(join(data, 'state/holds.json'), '[]', { mode: 0o600 });
    const found = await check();
    expect(found.code).toBe(1);
    expect(found.files.sort()).toEqual([...faulty].sort());
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
