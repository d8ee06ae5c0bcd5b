import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cliOf } from '#test/support/master/command-line.ts';
import { MasterProcess, masterProgram } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('a new import and the start of the master remove the folders of killed imports, but not those of running imports', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_540, to: 26_549 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const volumes = join(master.data, 'volumes');
  const left = async (): Promise<string[]> =>
    (await readdir(volumes)).filter((name) => name.startsWith('.import-')).sort();

  const folder = temporaryFolder();
  const pipe = join(folder, 'pipe.tar');
  execFileSync('mkfifo', [pipe]);
  // Open and close the pipe, so that the programs that unpack it exit.
  onTestFinished(async () => (await open(pipe, 'r+')).close());
  /** Starts an import in a separate process. The import unpacks until the pipe is closed. */
  const startImport = async (volume: string): Promise<{ folder: string; kill: () => Promise<void> }> => {
    const before = await left();
    const command = [await masterProgram(), 'volume', 'import', volume, pipe, '--data', master.data];
    const child = spawn(process.execPath, command, { stdio: 'ignore' });
    const exited = once(child, 'exit');
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await exited;
    };
    onTestFinished(kill);
    const name = await waitFor(async () =>
      (await left()).find((one) => !before.includes(one) && /^\.import-[0-9a-f-]{36}$/.test(one)),
    );
    await mkdir(join(volumes, name, 'world'));
    return { folder: name, kill };
  };

  const first = await startImport('survival/1');
  const second = await startImport('survival/2');
  const filesOf = (one: { folder: string }): string[] => [one.folder, `${one.folder}.json`];
  expect(await left()).toEqual([...filesOf(first), ...filesOf(second)].sort());
  await first.kill();
  expect(await left()).toEqual([...filesOf(first), ...filesOf(second)].sort());

  const archive = join(folder, 'world.tar');
  await mkdir(join(folder, 'server/world'), { recursive: true });
  execFileSync('tar', ['-C', join(folder, 'server'), '-cf', archive, '.']);
  const { code, err } = await cliOf(master.data)('volume', 'import', 'survival/3', archive);
  expect(code, err).toBe(0);
  expect(await left()).toEqual(filesOf(second));

  await master.terminate();
  await master.start();
  expect(await left()).toEqual(filesOf(second));
  await second.kill();
  await master.terminate();
  await master.start();
  expect(await left()).toEqual([]);
});
