import { appendFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutLog, MAX_LOG_BYTES, MOST_LOG_BYTES } from '#master/runtime/log/log-file.ts';
import { LogReader } from '#master/runtime/log/log-reader.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

async function logWith(text: string): Promise<string> {
  const path = join(temporaryFolder(), 'lobby-1.log');
  await writeFile(path, text);
  return path;
}

/** Cuts a log while a process appends these texts. The process appends one text during each pass of the copy. */
async function cutWhile(first: string, writes: readonly string[]) {
  const path = await logWith(first);
  const left = [...writes];
  await cutLog(path, async () => {
    const { size } = await stat(path);
    // All content so far has been read. Now the process writes more.
    const next = left.shift();
    if (next !== undefined) await appendFile(path, next);
    return size;
  });
  const written = [first, ...writes.slice(0, writes.length - left.length)].join('');
  return { kept: await readFile(`${path}.1`, 'utf8'), log: await readFile(path, 'utf8'), written };
}

const MEGABYTE = `${'x'.repeat(1023)}\n`.repeat(1024);

describe('shortening a log while a process writes to it', () => {
  it('keeps lines that are written during the copy', async () => {
    const { kept, log, written } = await cutWhile('one\n', [`${MEGABYTE}two\n`, 'three\n']);
    expect(kept === written).toBe(true);
    expect(kept.endsWith('two\nthree\n')).toBe(true);
    expect(log).toBe('');
  });

  it('keeps only the newest lines if the process writes very many lines during the shortening', async () => {
    const flood = MEGABYTE.repeat(MAX_LOG_BYTES / MEGABYTE.length);
    const { kept, log } = await cutWhile(flood, [flood, 'after the flood\n']);
    expect(kept.endsWith('x\nafter the flood\n')).toBe(true);
    expect(kept.length).toBeLessThanOrEqual(MAX_LOG_BYTES);
    expect(log).toBe('');
  });

  it('loses no lines if the process writes faster than lines can be copied', async () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `${MEGABYTE.slice(0, 307_200)}line ${n}\n`);
    const { kept, log, written } = await cutWhile('one\n', lines);
    expect(log).toBe('');
    expect(written.length).toBeGreaterThan(5_000_000);
    expect(kept === written).toBe(true);
  });
});

describe('a failed attempt to shorten a log', () => {
  it.each([0, 1])('leaves the log unchanged if reading fails in pass %d', async (failing) => {
    const path = await logWith('new\n');
    await writeFile(`${path}.1`, 'old\n');
    let pass = 0;
    const cut = cutLog(path, async () => {
      if (pass++ === failing) throw new Error('EIO: i/o error, read');
      const { size } = await stat(path);
      await appendFile(path, MEGABYTE);
      return size;
    });
    await expect(cut).rejects.toThrow('EIO');
    expect(await readFile(path, 'utf8')).toBe(failing === 0 ? 'new\n' : `new\n${MEGABYTE}`);
    expect(await readFile(`${path}.1`, 'utf8')).toBe('old\n');
  });

  it('keeps the log unless it is larger than twice the maximum size', async () => {
    const path = await logWith('new\n');
    await mkdir(`${path}.1`);
    const cut = () => cutLog(path, async () => (await stat(path)).size);
    await expect(cut()).rejects.toThrow('EISDIR');
    expect(await readFile(path, 'utf8')).toBe('new\n');
    await truncate(path, MOST_LOG_BYTES + 1);
    await cut();
    expect((await stat(path)).size).toBe(0);
  });
});

describe('a reader that follows a log while its oldest lines are removed', () => {
  it('receives each new line once and in order', async () => {
    const path = await logWith('one\n');
    const seen: unknown[] = [];
    const reader = new LogReader({ path, gone: 0, mayGrow: () => true, finished: () => undefined });
    await reader.join(0, (lines) => seen.push(...lines));
    await reader.cut((log, readToEnd) =>
      cutLog(log, async () => {
        const size = await readToEnd();
        await appendFile(path, 'two\nthr');
        return size;
      }),
    );
    await appendFile(path, 'ee\nfour\n');
    expect(await reader.page(0, 10)).toMatchObject({
      lines: [
        { seq: 0, text: 'one' },
        { seq: 1, text: 'two' },
        { seq: 2, text: 'thr' },
        { seq: 3, text: 'ee' },
        { seq: 4, text: 'four' },
      ],
    });
    expect(seen).toEqual([
      { seq: 1, text: 'two' },
      { seq: 2, text: 'thr' },
      { seq: 3, text: 'ee' },
      { seq: 4, text: 'four' },
    ]);
    reader.close();
  });
});
