import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LogStore } from '#master/runtime/log/log-store.ts';
import type { JournalEntry } from '#master/runtime/systemd/journal/journal-entry.ts';
import { JournalLogs } from '#master/runtime/systemd/journal/journal-logs.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../../support/nodes/journal-writer.ts', import.meta.url));

/**
 * Runs the writer, and kills it after it has written for this time (ms).
 *
 * @returns whether the writer finished before the kill
 */
async function write(args: readonly string[], killAfterMs: number | null): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  if (killAfterMs !== null) {
    await once(child.stdout, 'data');
    // The delay is intended. It determines the moment at which the writer is killed.
    await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    child.kill('SIGKILL');
  }
  await exited;
  return said.includes('done');
}

/** Returns the numbers of all lines in the logs of all services. */
function numbersIn(folder: string): number[] {
  const numbers: number[] = [];
  for (const id of ['lobby-1', 'lobby-2', 'lobby-3']) {
    const texts = [`${id}.log.1`, `${id}.log`].map((name) => join(folder, name)).filter(existsSync);
    const lines = texts.flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1));
    const own = lines.map((line) => Number(/^line (\d+) x*$/.exec(line)?.[1] ?? NaN));
    expect(own).toEqual([...own].sort((a, b) => a - b));
    numbers.push(...own);
  }
  return numbers.sort((a, b) => a - b);
}

describe('the logs that the master copies from a node', () => {
  it.each([
    { says: 'many short lines', count: 60_000, width: 20 },
    { says: 'enough lines for logs to be cut', count: 9000, width: 8000 },
  ])('contain each line once, however often the master is killed: $says', async ({ count, width }) => {
    const folder = temporaryFolder();
    const args = [folder, String(count), String(width)];
    let kills = 0;
    for (let round = 0; round < 12; round++) {
      if (await write(args, 5 + round * 13)) break;
      kills++;
    }
    expect(await write(args, null)).toBe(true);
    expect(kills).toBeGreaterThan(3);
    expect(numbersIn(folder)).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('keep lines that another node has added meanwhile', async () => {
    const folder = temporaryFolder();
    const logs = new LogStore(folder);
    const line = (n: number, text: string): JournalEntry => {
      return { kind: 'line', cursor: `s=a;i=${n};t=${n}`, service: 'lobby-1', text, goesOn: false };
    };
    const first = await JournalLogs.open('node-1', logs);
    await first.add([line(1, 'one')]);
    await first.close(false);
    // Simulate that the node was lost, and that the service continued on another node.
    appendFileSync(join(folder, 'lobby-1.log'), 'from node 2\n');
    const again = await JournalLogs.open('node-1', logs);
    await again.add([line(2, 'two, late')]);
    expect(readFileSync(join(folder, 'lobby-1.log'), 'utf8')).toBe('one\nfrom node 2\ntwo, late\n');
    await again.close(true);
    expect(existsSync(join(folder, 'node-1.journal.json'))).toBe(false);
  });

  it('have one writer per node at a time, and the next writer waits until the first is closed', async () => {
    const logs = new LogStore(temporaryFolder());
    const first = await JournalLogs.open('node-1', logs);
    const order: string[] = [];
    const second = JournalLogs.open('node-1', logs).then(() => order.push('second'));
    await JournalLogs.open('node-2', logs);
    order.push('other node');
    await first.close(false);
    await second;
    expect(order).toEqual(['other node', 'second']);
  });

  it('are not changed by calls of a writer that is already closed', async () => {
    const folder = temporaryFolder();
    const logs = new LogStore(folder);
    const first = await JournalLogs.open('node-1', logs);
    await first.add([
      { kind: 'line', cursor: 's=a;i=1;t=1', service: 'lobby-1', text: 'one', goesOn: false },
    ]);
    await first.close(false);
    const note = readFileSync(join(folder, 'node-1.journal.json'), 'utf8');
    await first.end('lobby-1');
    expect(readFileSync(join(folder, 'node-1.journal.json'), 'utf8')).toBe(note);
    const second = await JournalLogs.open('node-1', logs);
    expect(second.services).toEqual(['lobby-1']);
    await second.close(true);
  });

  it('include lines that are added while the log ends', async () => {
    const logs = new LogStore(temporaryFolder());
    await logs.open();
    const journal = await JournalLogs.open('node-1', logs);
    const adding = journal.add([
      { kind: 'line', cursor: 'one', service: 'lobby-1', text: 'bye', goesOn: false },
    ]);
    await journal.end('lobby-1');
    await adding;
    expect(journal.has('lobby-1')).toBe(false);
    expect(await logs.tail('lobby-1', 5)).toEqual(['bye']);
    await journal.close(false);
  });

  it('contain only the first part of a line that is too long', async () => {
    const folder = temporaryFolder();
    const journal = await JournalLogs.open('node-1', new LogStore(folder));
    const part = (n: number, text: string, goesOn: boolean): JournalEntry => {
      return { kind: 'line', cursor: `s=a;i=${n};t=${n}`, service: 'lobby-1', text, goesOn };
    };
    await journal.add([part(1, 'begin', true), part(2, 'middle', true)]);
    await journal.add([part(3, 'end', false), part(4, 'next', false)]);
    expect(readFileSync(join(folder, 'lobby-1.log'), 'utf8')).toBe('begin\nnext\n');
    await journal.close(false);
  });
});
