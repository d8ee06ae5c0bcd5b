import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { MAX_LISTED_FILES } from '#shared/model/service-files.ts';
import { swapNames } from '#test/support/files/swap-names.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { runtimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Number of rounds of the race between a read and an attacker who swaps a folder with a link. */
const ROUNDS = runs({ change: 300, night: 100_000 });

let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

async function prepared() {
  const fixture = await runtimeFixture(probe.jar);
  const runtime = fixture.open();
  await runtime.prepare(serviceSpec());
  const files = join(fixture.services, 'lobby-1/files');
  const code = (read: Promise<unknown>): Promise<string> =>
    read.then(
      () => 'none',
      (error: unknown) => toOverworldError(error).code,
    );
  return { ...fixture, runtime, files, code };
}

describe("the files of a service on the master's machine", () => {
  it('are listed in pages, and read in pieces', async () => {
    const { runtime, files } = await prepared();
    await mkdir(join(files, 'region'));
    const names = Array.from({ length: MAX_LISTED_FILES + 5 }, (_, at) => `r.${String(at).padStart(5, '0')}`);
    for (const name of names) await writeFile(join(files, 'region', name), name);
    const first = await runtime.listFiles('lobby-1', 'region', null);
    const last = first.entries.at(-1)?.name ?? '';
    const second = await runtime.listFiles('lobby-1', 'region', last);
    expect(first.more).toBe(true);
    expect(second.more).toBe(false);
    expect([...first.entries, ...second.entries].map(({ name }) => name)).toEqual(names);
    const piece = await runtime.readFile('lobby-1', 'region/r.00007', { from: 2, length: 3 });
    expect({ ...piece, content: piece.content.toString() }).toMatchObject({ content: '000', bytes: 7 });
    expect(
      (await runtime.readFile('lobby-1', 'region/r.00007', { from: 7, length: 3 })).content,
    ).toHaveLength(0);
  });

  it('cannot be read through links, pipes or missing folders', async () => {
    const { runtime, files, folder, code } = await prepared();
    await writeFile(join(folder, 'secret'), 'key');
    await symlink(join(folder, 'secret'), join(files, 'link'));
    await symlink(folder, join(files, 'up'));
    execFileSync('mkfifo', [join(files, 'pipe')]);
    const read = (path: string) => code(runtime.readFile('lobby-1', path, { from: 0, length: 10 }));
    expect(await read('link')).toBe('FILE_FORBIDDEN');
    expect(await read('up/secret')).toBe('FILE_FORBIDDEN');
    expect(await read('pipe')).toBe('FILE_FORBIDDEN');
    expect(await read('')).toBe('FILE_FORBIDDEN');
    expect(await read('nothing')).toBe('FILE_NOT_FOUND');
    expect(await code(runtime.listFiles('lobby-1', 'up', null))).toBe('FILE_FORBIDDEN');
    expect(await code(runtime.listFiles('lobby-9', '', null))).toBe('SERVICE_HAS_NO_FILES');
    const { entries } = await runtime.listFiles('lobby-1', '', null);
    for (const entry of entries) expect(await runtime.describeFile('lobby-1', entry.name)).toEqual(entry);
    expect(await code(runtime.describeFile('lobby-1', 'up/secret'))).toBe('FILE_FORBIDDEN');
    expect(await code(runtime.describeFile('lobby-1', 'nothing'))).toBe('FILE_NOT_FOUND');
    expect(await code(runtime.describeFile('lobby-9', 'a'))).toBe('SERVICE_HAS_NO_FILES');
    const kinds = Object.fromEntries(entries.map(({ name, kind }) => [name, kind]));
    expect(kinds).toMatchObject({ link: 'other', up: 'other', pipe: 'other', 'server.jar': 'file' });
  });

  it.runIf(process.platform === 'linux')(
    'cannot be read through a folder that is replaced by a link again and again',
    timeoutForRounds(ROUNDS),
    async () => {
      const { runtime, files, folder } = await prepared();
      await mkdir(join(folder, 'outside'));
      await writeFile(join(folder, 'outside/file'), 'secret');
      await mkdir(join(files, 'inside'));
      await writeFile(join(files, 'inside/file'), 'own');
      await symlink(join(folder, 'outside'), join(files, 'link'));
      await swapNames({ folder: files, names: ['inside', 'link'], pauseMs: 0.5 });
      const seen = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const read = runtime.readFile('lobby-1', 'inside/file', { from: 0, length: 10 });
        seen.add(
          await read.then(
            ({ content }) => content.toString(),
            () => 'refused',
          ),
        );
      }
      expect([...seen].sort()).toEqual(['own', 'refused']);
    },
  );
});

describe('the removal of an exited service', () => {
  it('keeps crash reports and logs of the service beside its console log', async () => {
    const { runtime, files, logs, folder } = await prepared();
    await mkdir(join(files, 'crash-reports'));
    await mkdir(join(files, 'logs'));
    await mkdir(join(files, 'world'));
    await writeFile(join(files, 'crash-reports/crash-1-server.txt'), '---- Minecraft Crash Report ----');
    await writeFile(join(files, 'hs_err_pid12.log'), '# A fatal error');
    await writeFile(join(files, 'logs/latest.log'), 'Stopping server\n');
    await writeFile(join(files, 'world/level.dat'), 'world');
    await symlink(join(folder, 'services'), join(files, 'logs/evil.log'));
    await runtime.forget('lobby-1');
    const kept = new LogStore(logs).kept;
    const [run] = await kept.list('lobby-1');
    expect(run?.files.map(({ path }) => path)).toEqual([
      'crash-reports/crash-1-server.txt',
      'hs_err_pid12.log',
      'logs/latest.log',
    ]);
    const read = await kept.read('lobby-1', run?.endedAt ?? 0, 'logs/latest.log');
    expect(read).toEqual({ text: 'Stopping server\n', whole: true });
    await expect(readFile(join(files, 'world/level.dat'))).rejects.toThrow('ENOENT');
  });

  it('succeeds even if the crash reports and logs cannot be stored', async () => {
    const fixture = await runtimeFixture(probe.jar);
    const warnings: string[] = [];
    const runtime = fixture.open({ log: { warn: (_details, message) => void warnings.push(message) } });
    await runtime.prepare(serviceSpec());
    const files = join(fixture.services, 'lobby-1/files');
    await mkdir(join(files, 'logs'));
    await writeFile(join(files, 'logs/latest.log'), 'x');
    // Create a file at the path of the folder for the kept files.
    await writeFile(join(fixture.logs, 'lobby-1.files'), '');
    await runtime.forget('lobby-1');
    await expect(readFile(join(files, 'logs/latest.log'))).rejects.toThrow('ENOENT');
    expect(warnings).toEqual(['crash reports and logs of a service could not be kept']);
  });
});
