import { appendFile, mkdir, readdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_LOG_BYTES } from '#master/runtime/log/log-file.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import type { ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { runtimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

interface Seen {
  /** All lines received so far. */
  readonly all: LogLine[];
  /** Number of times that the end of the log was reported. */
  ended: number;
  close: () => void;
}

async function follow(runtime: ProcessRuntime, lines: number): Promise<Seen> {
  const seen: Seen = { all: [], ended: 0, close: () => undefined };
  const followed = await runtime.followLog('lobby-1', lines, (more, ended) => {
    seen.all.push(...more);
    if (ended) seen.ended++;
  });
  seen.all.unshift(...followed.lines);
  seen.close = () => followed.close();
  return seen;
}

async function running(): Promise<{ runtime: ProcessRuntime; logs: string }> {
  const { open, logs } = await runtimeFixture(probe.jar);
  const runtime = open();
  await runtime.prepare(serviceSpec());
  await runtime.start('lobby-1');
  await waitFor(async () => (await runtime.tailLog('lobby-1', 1)).length > 0);
  return { runtime, logs };
}

/** Creates a log store with the logs `old-1` to `old-<count>`, of which the first was written first. */
async function storeWithOldLogs(count: number, exists?: (id: string) => boolean) {
  const folder = temporaryFolder();
  for (let n = 1; n <= count; n++) {
    const path = join(folder, `old-${n}.log`);
    await writeFile(path, '');
    await utimes(path, n, n);
  }
  return { logs: new LogStore(folder, exists), folder, left: () => readdir(folder) };
}

describe('the log of a service', () => {
  it('is sent to all readers that follow it, each line once and in order', async () => {
    const { runtime } = await running();
    const first = await follow(runtime, 100);
    for (let n = 0; n < 20; n++) await runtime.command('lobby-1', `say line ${n}`);
    await waitFor(() => first.all.length >= 10);
    const second = await follow(runtime, 3);
    const gone = await follow(runtime, 0);
    gone.close();
    await runtime.command('lobby-1', 'say last');
    await runtime.stop('lobby-1', { graceMs: 10_000 });
    await waitFor(() => first.ended + second.ended === 2);
    const want = [
      'probe ready nogui',
      ...Array.from({ length: 20 }, (_, n) => `line ${n}`),
      'last',
      'got stop',
    ];
    expect(first.all).toEqual(want.map((text, seq) => ({ seq, text })));
    expect(second.all).toEqual(first.all.slice(-second.all.length));
    expect(second.all.length).toBeGreaterThanOrEqual(5);
    expect(gone.all).toEqual([]);
    const late = await follow(runtime, 2);
    await waitFor(() => late.ended === 1);
    expect(late.all).toEqual(first.all.slice(-2));
  });

  it('can be followed before the service starts', async () => {
    const { open } = await runtimeFixture(probe.jar);
    const runtime = open();
    await runtime.prepare(serviceSpec());
    const early = await follow(runtime, 10);
    await runtime.start('lobby-1');
    await waitFor(() => early.all.length > 0);
    expect(early).toMatchObject({ all: [{ seq: 0, text: 'probe ready nogui' }], ended: 0 });
  });

  it('goes on for its readers after the file could not be read for a moment', async () => {
    const { runtime, logs } = await running();
    const seen = await follow(runtime, 10);
    const path = join(logs, 'lobby-1.log');
    await rename(path, `${path}.aside`);
    await symlink('lobby-1.log', path);
    let failures = 0;
    // During this time, the file is also read several times for the followers.
    await waitFor(async () => {
      await runtime.readLog('lobby-1', 0, 1).catch(() => failures++);
      return failures >= 20;
    });
    await rename(`${path}.aside`, path);
    await runtime.command('lobby-1', 'say here again');
    await waitFor(() => seen.all.at(-1)?.text === 'here again');
  });

  it('is empty for a service that never existed', async () => {
    const { open } = await runtimeFixture(probe.jar);
    const runtime = open();
    expect(await runtime.tailLog('lobby-1', 10)).toEqual([]);
    const seen = await follow(runtime, 10);
    await waitFor(() => seen.ended === 1);
    expect(seen.all).toEqual([]);
  });

  it('has a limited size even if a service writes very much', async () => {
    const { runtime, logs } = await running();
    const seen = await follow(runtime, 10);
    await runtime.command('lobby-1', 'flood 60');
    await runtime.command('lobby-1', 'say after the flood');
    await waitFor(() => seen.all.some(({ text }) => text === 'after the flood'), { timeoutMs: 50_000 });
    await waitFor(async () => (await stat(join(logs, 'lobby-1.log'))).size < MAX_LOG_BYTES);
    expect((await stat(join(logs, 'lobby-1.log.1'))).size).toBeLessThanOrEqual(MAX_LOG_BYTES);
    await runtime.command('lobby-1', 'say still here');
    await waitFor(() => seen.all.at(-1)?.text === 'still here');
    const seqs = seen.all.map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect((await runtime.tailLog('lobby-1', 300)).length).toBe(300);
    expect((await runtime.tailLog('lobby-1', 1))[0]).toBe('still here');
  });

  it('returns its last lines correctly even if it is large or was shortened', async () => {
    const { open, logs } = await runtimeFixture(probe.jar);
    await mkdir(logs, { recursive: true });
    const lines = Array.from({ length: 50_000 }, (_, n) => `line ${n} ä`);
    await writeFile(join(logs, 'lobby-1.log'), `${lines.join('\r\n')}\r\n`);
    await appendFile(join(logs, 'lobby-1.log'), 'unfinished');
    await writeFile(join(logs, 'lobby-1.log.1'), 'older 1\nolder 2\n');
    const runtime = open();
    expect(await runtime.tailLog('lobby-1', 3)).toEqual([...lines.slice(-2), 'unfinished']);
    expect(await runtime.tailLog('lobby-1', 5000)).toHaveLength(5000);
    expect((await runtime.tailLog('lobby-1', 50_002)).slice(0, 2)).toEqual(['older 2', 'line 0 ä']);
    expect(await runtime.tailLog('lobby-1', 0)).toEqual([]);
    const seen = await follow(runtime, 2);
    await waitFor(() => seen.ended === 1);
    expect(seen.all.at(-1)).toEqual({ seq: 50_002, text: 'unfinished' });
  });

  it('is kept for the 200 services that were removed last', async () => {
    const { open, logs } = await runtimeFixture(probe.jar);
    const runtime = open();
    await runtime.observe();
    for (let n = 1; n <= 205; n++) {
      const path = join(logs, `old-${n}.log`);
      await writeFile(path, '');
      await utimes(path, n, n);
    }
    await runtime.prepare(serviceSpec());
    await runtime.start('lobby-1');
    await runtime.forget('lobby-2');
    const left = await readdir(logs);
    expect(left).toHaveLength(201);
    expect(left).not.toContain('old-5.log');
    expect(left).toEqual(expect.arrayContaining(['old-6.log', 'old-205.log', 'lobby-1.log']));
  });

  it('is kept as long as its service exists, even if the service has no process and has written nothing for long', async () => {
    const { logs, folder, left } = await storeWithOldLogs(201, (id) => id === 'old-1');
    await logs.noteRemoved('old-2');
    expect(await left()).toHaveLength(201);
    await writeFile(join(folder, 'new-1.log'), '');
    await logs.noteRemoved('new-1');
    expect(await left()).toEqual(expect.arrayContaining(['old-1.log', 'old-2.log', 'new-1.log']));
    expect(await left()).not.toContain('old-3.log');
  });

  it('is kept until 200 more services were removed, however long ago it was written', async () => {
    const { logs, left } = await storeWithOldLogs(201);
    await logs.noteRemoved('old-1');
    expect(await left()).toContain('old-1.log');
    expect(await left()).not.toContain('old-2.log');
  });
});
