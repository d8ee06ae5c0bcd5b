import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutLog, MAX_LOG_BYTES } from '#master/runtime/log/log-file.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** A log, and a process that appends these texts, each while what came before it is copied. */
async function cutWhile(first: string, writes: readonly string[]) {
  const path = join(temporaryFolder(), 'lobby-1.log');
  await writeFile(path, first);
  const left = [...writes];
  await cutLog(path, async () => {
    const { size } = await stat(path);
    // Read up to here; the process goes on.
    const next = left.shift();
    if (next !== undefined) await appendFile(path, next);
    return size;
  });
  return { kept: await readFile(`${path}.1`, 'utf8'), log: await readFile(path, 'utf8') };
}

describe('cutting a log that a process writes to', () => {
  it('keeps what is written while the rest is copied', async () => {
    const { kept, log } = await cutWhile('one\n', ['two\n', 'three\n']);
    expect(kept).toBe('one\ntwo\nthree\n');
    expect(log).toBe('');
  });

  it('keeps the end of a flood that is written meanwhile, within its bounds', async () => {
    const flood = `${'x'.repeat(1023)}\n`.repeat(MAX_LOG_BYTES / 1024);
    const { kept, log } = await cutWhile(flood, [flood, 'after the flood\n']);
    expect(kept.endsWith('x\nafter the flood\n')).toBe(true);
    expect(kept.length).toBeLessThanOrEqual(MAX_LOG_BYTES);
    expect(log).toBe('');
  });

  it('ends though the process writes faster than it can be followed', async () => {
    const { kept, log } = await cutWhile(
      'one\n',
      Array.from({ length: 1_000 }, (_, n) => `line ${n}\n`),
    );
    expect(kept).toMatch(/^one\nline 0\nline 1\n/);
    expect(log).toBe('');
  });
});
