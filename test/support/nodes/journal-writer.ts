import { LogStore } from '#master/runtime/log/log-store.ts';
import type { JournalEntry } from '#master/runtime/systemd/journal/journal-entry.ts';
import { JournalLogs } from '#master/runtime/systemd/journal/journal-logs.ts';

/**
 * Master that consists only of the log writer of one node, for tests that kill the master. Adds the lines of a
 * generated journal, and continues after the last line of the previous run. Prints `begun` at the start and `done` at
 * the end.
 */
const [folder = '', count = '0', width = '0'] = process.argv.slice(2);
const BATCH = 50;

const logs = new LogStore(folder);
await logs.open();
const journal = await JournalLogs.open('node-1', logs);
const from = journal.cursor === null ? 0 : parseInt(/i=([0-9a-f]+)/.exec(journal.cursor)?.[1] ?? '', 16) + 1;
process.stdout.write('begun\n');
for (let at = from; at < Number(count); at += BATCH) {
  const size = Math.min(BATCH, Number(count) - at);
  await journal.add(Array.from({ length: size }, (_, index) => entryOf(at + index)));
}
await journal.close(false);
process.stdout.write('done\n');

/** Returns the journal entry with this number. The lines belong to three services in turn. */
function entryOf(n: number): JournalEntry {
  const text = `line ${n} `.padEnd(Number(width), 'x');
  const cursor = `s=ab;i=${n.toString(16)};t=${n.toString(16)}`;
  return { kind: 'line', cursor, service: `lobby-${(n % 3) + 1}`, text, goesOn: false };
}
