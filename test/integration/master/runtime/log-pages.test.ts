import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_LOG_BYTES } from '#master/runtime/log/log-file.ts';
import type { ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { runtimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { waitFor } from '#test/support/wait-for.ts';

let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

/** Creates a runtime without services, and a log with this text. `old` is the older part of the log. */
async function kept(text: string, old?: string): Promise<{ runtime: ProcessRuntime; path: string }> {
  const { open, logs } = await runtimeFixture(probe.jar);
  await mkdir(logs, { recursive: true });
  const path = join(logs, 'lobby-1.log');
  await writeFile(path, text);
  if (old !== undefined) await writeFile(`${path}.1`, old);
  return { runtime: open(), path };
}

async function readAll(runtime: ProcessRuntime, limit: number): Promise<LogLine[]> {
  const all: LogLine[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page = await runtime.readLog('lobby-1', from, limit);
    expect(page.lines.length).toBeLessThanOrEqual(limit);
    all.push(...page.lines);
    from = page.next;
  }
  return all;
}

const find = (text: string, { caseSensitive = false, limit = 100 } = {}) => ({ text, caseSensitive, limit });

describe('readLog (reads a page of a log)', () => {
  it.each([1, 2, 3, 100])('returns both parts of a shortened log, %i lines at a time', async (limit) => {
    const { runtime } = await kept('rest of it\nc\nunfinished', 'a\n\nbegin of a line, ');
    expect(await readAll(runtime, limit)).toEqual(
      ['a', '', 'begin of a line, ', 'rest of it', 'c', 'unfinished'].map((text, seq) => ({ seq, text })),
    );
  });

  it('returns no lines after the end of a log, and for a missing log', async () => {
    const { runtime } = await kept('a\nb\n');
    expect(await runtime.readLog('lobby-1', 2, 10)).toEqual({ lines: [], next: null });
    expect(await runtime.readLog('lobby-9', 0, 10)).toEqual({ lines: [], next: null });
  });

  it('returns fewer lines if the answer would be too large, and the next page continues there', async () => {
    const long = 'x'.repeat(8000);
    const { runtime } = await kept(`${long}\n`.repeat(500));
    const page = await runtime.readLog('lobby-1', 0, 5000);
    expect(page.lines).toHaveLength(Math.floor(1_048_576 / 8000));
    expect(page.next).toBe(page.lines.length);
    expect(await readAll(runtime, 5000)).toHaveLength(500);
  });

  it('returns the same line numbers as readers that follow the log, even if the log was shortened', async () => {
    const { open, logs } = await runtimeFixture(probe.jar);
    const runtime = open();
    await runtime.prepare(serviceSpec());
    await runtime.start('lobby-1');
    const followed: LogLine[] = [];
    const log = await runtime.followLog('lobby-1', 10, (lines) => followed.push(...lines));
    followed.unshift(...log.lines);
    await runtime.command('lobby-1', 'flood 60');
    await runtime.command('lobby-1', 'say Needle after the flood');
    await waitFor(() => followed.some(({ text }) => text === 'Needle after the flood'), {
      timeoutMs: 60_000,
    });
    await waitFor(async () => (await stat(join(logs, 'lobby-1.log'))).size < MAX_LOG_BYTES);
    await runtime.command('lobby-1', 'say needle at last');
    await waitFor(() => followed.at(-1)?.text === 'needle at last');

    const needles = followed.filter(({ text }) => text.toLowerCase().includes('needle'));
    const first = needles[0]?.seq ?? -1;
    expect(await runtime.readLog('lobby-1', first, 10)).toEqual({
      lines: followed.filter(({ seq }) => seq >= first),
      next: null,
    });
    expect(await runtime.searchLog('lobby-1', find('NEEDLE'))).toEqual({ lines: needles, more: false });
    // The lines that were cut off no longer exist, so reading starts with the first stored line.
    const oldest = (await runtime.readLog('lobby-1', 0, 1)).lines[0];
    expect(oldest?.seq).toBeGreaterThan(0);

    // The numbers of lines do not change when the last follower leaves or when the service exits.
    log.close();
    await runtime.stop('lobby-1', { graceMs: 10_000 });
    expect((await runtime.searchLog('lobby-1', find('needle at last'))).lines).toEqual(needles.slice(-1));
    expect((await runtime.readLog('lobby-1', 0, 1)).lines[0]).toEqual(oldest);
  });
});

describe('searchLog (searches a log)', () => {
  it('finds visible text regardless of upper case and colour codes', async () => {
    const { runtime } = await kept(
      'INFO joined\n\u001b[31mWARN \u001b[0mNot \u001b[1mjoin\u001b[0med\nnothing\nÄrger Joined\n',
    );
    const texts = async (text: string, caseSensitive: boolean): Promise<number[]> =>
      (await runtime.searchLog('lobby-1', find(text, { caseSensitive }))).lines.map(({ seq }) => seq);
    expect(await texts('joined', false)).toEqual([0, 1, 3]);
    expect(await texts('joined', true)).toEqual([0, 1]);
    expect(await texts('ärger', false)).toEqual([3]);
    expect(await texts('31m', false)).toEqual([]);
  });

  it('returns the newest matches if there are more than requested', async () => {
    const { runtime, path } = await kept('hit 2\nmiss\nhit 3\n', 'hit 0\nhit 1\n');
    await appendFile(path, 'hit 4');
    expect(await runtime.searchLog('lobby-1', find('hit', { limit: 3 }))).toEqual({
      lines: [
        { seq: 2, text: 'hit 2' },
        { seq: 4, text: 'hit 3' },
        { seq: 5, text: 'hit 4' },
      ],
      more: true,
    });
    expect((await runtime.searchLog('lobby-1', find('hit', { limit: 5 }))).more).toBe(false);
  });
});
