import { appendFile, copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EntryContent } from '#shared/model/access/security-entry.ts';
import { verifyChain } from '#master/store/security-log/chain.ts';
import { listSecurityFiles, readSecurityFiles } from '#master/store/security-log/files.ts';
import { KEPT_MS, SecurityLog } from '#master/store/security-log/security-log.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const NOVEMBER = Date.UTC(2026, 10, 24);
const DECEMBER = Date.UTC(2026, 11, 24);
const DAY = 24 * 3_600_000;

const anEntry = (message: string): EntryContent => ({
  kind: 'key.added',
  actor: 'anna',
  message,
  cause: 'asked for',
});

/** Verifies that the chain is intact. Returns the messages of its entries. */
async function intact(folder: string): Promise<string[]> {
  const { breaks, torn, entries } = verifyChain(await readSecurityFiles(folder));
  expect({ breaks, torn }).toEqual({ breaks: [], torn: null });
  return entries.map(({ message }) => message);
}

describe('the security log', () => {
  it('is on the disk after a flush, and only the user of the master can read it', async () => {
    const folder = join(temporaryFolder(), 'security');
    const log = await SecurityLog.open(folder, () => NOVEMBER);
    for (const message of ['one', 'two', 'three']) log.add(anEntry(message));
    await log.flushed();
    expect(await intact(folder)).toEqual(['one', 'two', 'three']);
    expect(verifyChain(await readSecurityFiles(folder)).head).toEqual(log.head);
    expect((await stat(join(folder, '000000000001.jsonl'))).mode & 0o777).toBe(0o600);
    await log.close();
  });

  it('continues its hash chain after a restart', async () => {
    const folder = temporaryFolder();
    for (const message of ['one', 'two', 'three']) {
      const log = await SecurityLog.open(folder, () => NOVEMBER);
      log.add(anEntry(message));
      await log.close();
    }
    expect(await intact(folder)).toEqual(['one', 'two', 'three']);
    expect(await listSecurityFiles(folder)).toHaveLength(1);
  });

  it('starts a new file each month, even while entries are written', async () => {
    const folder = temporaryFolder();
    let now = NOVEMBER;
    const log = await SecurityLog.open(folder, () => now);
    log.add(anEntry('one'));
    now = DECEMBER;
    log.add(anEntry('two'));
    log.add(anEntry('three'));
    await log.close();
    expect(await listSecurityFiles(folder)).toEqual(['000000000001.jsonl', '000000000002.jsonl']);
    expect(await intact(folder)).toEqual(['one', 'two', 'three']);
  });

  it('removes an incomplete last entry at the next start, records this, and continues its hash chain', async () => {
    const folder = temporaryFolder();
    const log = await SecurityLog.open(folder, () => NOVEMBER);
    log.add(anEntry('one'));
    await log.close();
    await appendFile(join(folder, '000000000001.jsonl'), '{"actor":"anna","at":1,"ca');
    expect(verifyChain(await readSecurityFiles(folder))).toMatchObject({
      breaks: [],
      torn: { file: '000000000001.jsonl', line: 2 },
    });
    const next = await SecurityLog.open(folder, () => NOVEMBER);
    next.add(anEntry('two'));
    await next.close();
    expect(await intact(folder)).toEqual(['one', 'An incomplete last entry was removed', 'two']);
  });

  it('keeps a damaged line as evidence, and continues after the last readable entry', async () => {
    const folder = temporaryFolder();
    const log = await SecurityLog.open(folder, () => NOVEMBER);
    log.add(anEntry('one'));
    await log.close();
    await appendFile(join(folder, '000000000001.jsonl'), 'damaged\n');
    const next = await SecurityLog.open(folder, () => NOVEMBER);
    next.add(anEntry('two'));
    await next.close();
    const { breaks, entries } = verifyChain(await readSecurityFiles(folder));
    expect(breaks).toEqual([
      { file: '000000000001.jsonl', line: 2, seq: 2, why: expect.stringContaining('not an entry') as string },
    ]);
    expect(entries).toHaveLength(2);
  });

  it('removes files after 365 days, and its hash chain is intact even after an interrupted removal', async () => {
    const folder = temporaryFolder();
    let now = NOVEMBER;
    const log = await SecurityLog.open(folder, () => now);
    log.add(anEntry('one'));
    await log.flushed();
    await copyFile(join(folder, '000000000001.jsonl'), join(folder, 'copy'));
    for (const [message, at] of [
      ['two', DECEMBER],
      ['three', NOVEMBER + KEPT_MS - 30 * DAY],
      ['four', NOVEMBER + KEPT_MS + 1],
    ] as const) {
      now = at;
      log.add(anEntry(message));
    }
    await waitFor(async () => (await listSecurityFiles(folder))[0] === '000000000002.jsonl');
    await log.close();
    const rest = ['two', 'three', 'four', 'The entries up to number 1 were removed'];
    expect(await intact(folder)).toEqual(rest);
    await copyFile(join(folder, 'copy'), join(folder, '000000000001.jsonl'));
    expect(await intact(folder)).toEqual(['one', ...rest]);
    now += 25 * DAY;
    const next = await SecurityLog.open(folder, () => now);
    next.add(anEntry('five'));
    await waitFor(async () => (await listSecurityFiles(folder))[0] === '000000000002.jsonl');
    await next.close();
    expect(await intact(folder)).toEqual([...rest, 'five', 'The entries up to number 1 were removed']);
  });

  it('records the removal of a file once, even if two months begin in quick succession', async () => {
    const folder = temporaryFolder();
    let now = NOVEMBER;
    const log = await SecurityLog.open(folder, () => now);
    log.add(anEntry('one'));
    await log.flushed();
    for (const months of [2, 3, 4]) {
      now = NOVEMBER + KEPT_MS + months * 31 * DAY;
      log.add(anEntry(`month ${months}`));
    }
    await waitFor(async () => (await listSecurityFiles(folder))[0] === '000000000002.jsonl');
    await log.close();
    const rest = ['month 2', 'month 3', 'month 4', 'The entries up to number 1 were removed'];
    expect(await intact(folder)).toEqual(rest);
  });

  it('removes no entries while the clock is years ahead, nor when the clock is right again', async () => {
    const folder = temporaryFolder();
    let now = NOVEMBER;
    for (const [message, at] of [
      ['one', NOVEMBER],
      ['two', DECEMBER],
      ['ahead', DECEMBER + 3 * KEPT_MS],
      ['right again', DECEMBER + 14 * DAY],
    ] as const) {
      now = at;
      const log = await SecurityLog.open(folder, () => now);
      log.add(anEntry(message));
      await log.close();
    }
    expect(await intact(folder)).toEqual(['one', 'two', 'ahead', 'right again']);
  });

  it('reports a break in its hash chain if the oldest file was removed', async () => {
    const folder = temporaryFolder();
    let now = NOVEMBER;
    const log = await SecurityLog.open(folder, () => now);
    log.add(anEntry('one'));
    now = DECEMBER;
    log.add(anEntry('two'));
    await log.close();
    await writeFile(join(folder, '000000000001.jsonl'), '');
    expect(verifyChain(await readSecurityFiles(folder)).breaks).toEqual([
      {
        file: '000000000002.jsonl',
        line: 1,
        seq: 2,
        why: expect.stringContaining('before number 2 are missing') as string,
      },
    ]);
  });

  it('keeps its hash chain intact if the clock is set back', async () => {
    const folder = temporaryFolder();
    let now = DECEMBER;
    const log = await SecurityLog.open(folder, () => now);
    log.add(anEntry('one'));
    now = NOVEMBER;
    log.add(anEntry('two'));
    await log.close();
    expect(await intact(folder)).toEqual(['one', 'two']);
  });
});

describe.skipIf(!canMount)('the security log on a full disk', () => {
  it('fails to flush, but loses no entry and leaves no broken line', async () => {
    const disk = smallDisk(2);
    const folder = join(disk, 'security');
    const log = await SecurityLog.open(folder, () => NOVEMBER);
    log.add(anEntry('one'));
    await log.flushed();
    const free = await fillDisk(disk);
    const messages = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(200)}`);
    for (const message of messages) {
      log.add(anEntry(message));
      await log.flushed().catch(() => undefined);
    }
    await expect(log.flushed()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await free();
    await log.flushed();
    await log.close();
    expect(await intact(folder)).toEqual(['one', ...messages]);
    expect(await readFile(join(folder, '000000000001.jsonl'), 'utf8')).toMatch(/}\n$/);
  });
});

describe('reading the security log', () => {
  /** Opens a log with entries of two kinds in two files, each of which is larger than a single read. */
  async function aLongLog(count: number): Promise<{ log: SecurityLog; folder: string }> {
    const folder = temporaryFolder();
    let now = NOVEMBER;
    const log = await SecurityLog.open(folder, () => now);
    onTestFinished(() => log.close());
    for (let i = 1; i <= count; i += 1) {
      if (i === count / 2) now = DECEMBER;
      log.add({
        ...anEntry(`${i} ${'ä'.repeat(i % 300)}`),
        kind: i % 100 === 0 ? 'login.refused' : 'key.added',
      });
    }
    await log.flushed();
    expect(await listSecurityFiles(folder)).toHaveLength(2);
    return { log, folder };
  }

  it.each(['newest', 'oldest'] as const)(
    'returns each entry once, in pages, with the %s first',
    async (order) => {
      const { log } = await aLongLog(2_000);
      const seqs: number[] = [];
      for (let from: number | undefined, more = true; more;) {
        const { entries, next } = await log.read({ order, limit: 333, from });
        seqs.push(...entries.map(({ seq }) => seq));
        from = next ?? undefined;
        more = next !== null;
      }
      const all = Array.from({ length: 2_000 }, (_, i) => i + 1);
      expect(seqs).toEqual(order === 'oldest' ? all : all.reverse());
    },
  );

  it('returns only entries of the requested group', async () => {
    const { log } = await aLongLog(2_000);
    const { entries, next } = await log.read({ order: 'newest', group: 'logins', limit: 3, from: 1_801 });
    expect(entries.map(({ seq }) => seq)).toEqual([1_800, 1_700, 1_600]);
    expect(next).toBe(1_600);
  });

  it('omits lines that are not entries, but a verification lists them', async () => {
    const { log, folder } = await aLongLog(40);
    const file = join(folder, '000000000001.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, lines.with(3, 'x'.repeat(200_000)).join('\n'));
    for (const order of ['newest', 'oldest'] as const) {
      const { entries } = await log.read({ order, limit: 100 });
      expect(entries.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 40 }, (_, i) => i + 1).filter((seq) => seq !== 4),
      );
    }
    const report = await log.verify();
    expect(report).toMatchObject({ entries: 39, breakCount: 2 });
    expect(report.breaks.map(({ file: name, line, seq }) => [name, line, seq])).toEqual([
      ['000000000001.jsonl', 4, 4],
      ['000000000001.jsonl', 5, 5],
    ]);
  });

  it('verifies the whole log while entries are added', async () => {
    const { log } = await aLongLog(2_000);
    const { seq, hash } = log.head;
    const verifying = log.verify();
    for (let i = 0; i < 200; i += 1) log.add(anEntry('meanwhile'));
    const report = await verifying;
    expect(report).toMatchObject({ breaks: [], breakCount: 0, first: { seq: 1, at: NOVEMBER } });
    expect(report.entries).toBeGreaterThanOrEqual(seq);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reports entries that were removed from the end of the log while the master is running', async () => {
    const { log, folder } = await aLongLog(40);
    const [, last = ''] = await listSecurityFiles(folder);
    const lines = (await readFile(join(folder, last), 'utf8')).split('\n');
    await writeFile(join(folder, last), `${lines.slice(0, -3).join('\n')}\n`);
    const { breaks, last: end } = await log.verify();
    expect(end?.seq).toBe(38);
    expect(breaks).toMatchObject([{ seq: 39, why: expect.stringContaining('Entry 40') as string }]);
  });
});
