import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { saveServiceLog } from '#main/save/service-log.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'overworld-save-log-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Creates a stored log with these lines, and the runtime that reads it. */
async function keptLog(lines: readonly string[]) {
  const data = await folder();
  const runtime = createProcessRuntime({
    cluster: 'c-1',
    folder: join(data, 'services'),
    logs: new LogStore(join(data, 'logs')),
    sharedFiles: join(data, 'files'),
    templates: { materialize: () => Promise.reject(new Error('nothing is prepared here')) },
    ports: { from: 1, to: 1 },
    host: '127.0.0.1',
  });
  onTestFinished(() => runtime.close());
  await runtime.tailLog('lobby-1', 0);
  await writeFile(join(data, 'logs', 'lobby-1.log'), lines.map((line) => `${line}\n`).join(''));
  return async ({ id, from, limit }: { id: string; from: number; limit: number }) => {
    const page = await runtime.readLog(id, from, limit);
    return { lines: [...page.lines], next: page.next };
  };
}

describe("the export of a service's log to a file", () => {
  it('contains all stored lines, without colour codes', async () => {
    const lines = Array.from({ length: 12_345 }, (_, n) => `line ${n}`);
    const read = await keptLog(lines.map((line) => `\u001b[32m${line}\u001b[0m`));
    const path = join(await folder(), 'saved.log');
    await writeFile(path, 'what stood there before');
    expect(await saveServiceLog('lobby-1', path, read)).toBe(12_345);
    expect(await readFile(path, 'utf8')).toBe(`${lines.join('\n')}\n`);
  });

  it('keeps an existing file if the log cannot be read', async () => {
    const read = await keptLog(Array.from({ length: 6000 }, (_, n) => `line ${n}`));
    const target = await folder();
    const path = join(target, 'saved.log');
    await writeFile(path, 'what stood there before');
    const breaks = new OverworldError('NOT_CONNECTED', { status: 'waiting' });
    const saving = saveServiceLog('lobby-1', path, (params) =>
      params.from === 0 ? read(params) : Promise.reject(breaks),
    );
    await expect(saving).rejects.toBe(breaks);
    expect(await readFile(path, 'utf8')).toBe('what stood there before');
    expect(await readdir(target)).toEqual(['saved.log']);
  });

  it('does not follow a symbolic link with the name of the unfinished file', async () => {
    const read = await keptLog(['a']);
    const target = await folder();
    const victim = join(target, 'victim');
    await writeFile(victim, 'mine');
    await symlink(victim, join(target, 'saved.log.overworld-part'));
    await saveServiceLog('lobby-1', join(target, 'saved.log'), read);
    expect(await readFile(victim, 'utf8')).toBe('mine');
    expect((await readdir(target)).sort()).toEqual(['saved.log', 'saved.log.overworld-part', 'victim']);
  });

  it('reports why the file cannot be written', async () => {
    const read = await keptLog(['a']);
    const path = join(await folder(), 'no such folder', 'saved.log');
    await expect(saveServiceLog('lobby-1', path, read)).rejects.toMatchObject({
      code: 'LOCAL_FILE_UNREADABLE',
      details: { path },
    });
  });
});
