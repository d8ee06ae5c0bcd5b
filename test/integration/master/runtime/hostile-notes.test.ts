import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime, type ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates the files that the wrapper of an exited service leaves.
 *
 * @returns the service's `run` folder
 */
async function endedService(data: string, id: string): Promise<string> {
  const run = join(data, 'services', id, 'run');
  await mkdir(run, { recursive: true });
  await writeFile(join(run, 'spec.json'), JSON.stringify({ port: 25_565, spec: serviceSpec({ id }) }));
  await writeFile(join(run, 'pid'), '999999\n');
  await writeFile(join(run, 'exit'), '3\n');
  return run;
}

function open(data: string): ProcessRuntime {
  const runtime = createProcessRuntime({
    cluster: `test-${data}`,
    folder: join(data, 'services'),
    logs: new LogStore(join(data, 'logs')),
    sharedFiles: join(data, 'files'),
    templates: { materialize: () => Promise.reject(new Error('nothing is prepared here')) },
    ports: { from: 1, to: 1 },
    host: '127.0.0.1',
  });
  onTestFinished(() => runtime.close());
  return runtime;
}

const starved = fileURLToPath(new URL('../../../support/master/starved-runtime.ts', import.meta.url));

describe.skipIf(process.platform !== 'linux')('the records that the runtime stores for services', () => {
  it('are all read even if the master may open only a few files at a time', async () => {
    const data = temporaryFolder();
    const ids = Array.from({ length: 200 }, (_, i) => `lobby-${i + 1}`);
    for (const id of ids) await endedService(data, id);
    const args = ['--import', 'tsx', starved, `test-${data}`, data];
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
    const seen = JSON.parse(output) as string[];
    expect(seen.sort()).toEqual(ids.map((id) => `${id} ended`).sort());
  });

  it.each([
    [
      'another service’s record',
      (run: string) =>
        writeFile(join(run, 'spec.json'), JSON.stringify({ port: 1, spec: serviceSpec({ id: 'arena-7' }) })),
    ],
    ['invalid JSON', (run: string) => writeFile(join(run, 'spec.json'), '{"port":')],
    ['4 GB of zeros', (run: string) => truncate(join(run, 'spec.json'), 4 * 2 ** 30)],
    [
      'a link to an endless device',
      async (run: string) => {
        await rm(join(run, 'spec.json'));
        await symlink('/dev/zero', join(run, 'spec.json'));
      },
    ],
    [
      'a pipe',
      async (run: string) => {
        await rm(join(run, 'spec.json'));
        execFileSync('mkfifo', [join(run, 'spec.json')]);
      },
    ],
  ])('are ignored if a hostile service has replaced their content with %s', async (_what, forge) => {
    const data = temporaryFolder();
    const runtime = open(data);
    await runtime.observe();
    const run = await endedService(data, 'lobby-1');
    await endedService(data, 'lobby-2');
    await forge(run);
    expect((await runtime.observe()).map(({ spec }) => spec.id)).toEqual(['lobby-2']);
  });

  it('do not block the runtime if a service has replaced the files with pipes', async () => {
    const data = temporaryFolder();
    const runtime = open(data);
    await runtime.observe();
    const run = await endedService(data, 'lobby-1');
    for (const path of [join(run, 'exit'), join(data, 'logs', 'lobby-1.log')]) {
      await rm(path, { force: true });
      execFileSync('mkfifo', [path]);
    }
    const [seen] = await runtime.observe();
    expect(seen).toMatchObject({ state: 'ended', exit: { code: null, signal: null } });
    expect(await runtime.tailLog('lobby-1', 10)).toEqual([]);
  });
});
