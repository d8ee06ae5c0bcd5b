import { join } from 'node:path';
import { MAX_BREAKS, type SecurityEntry, type SecurityReport } from '#shared/model/access/security-entry.ts';
import { ChainVerifier, type ChainBreak, type Head } from './chain.ts';
import { listSecurityFiles } from './files.ts';
import { forEachLine } from './read-entries.ts';

/**
 * Verifies the security log of a running master on disk. Needs little memory. Other work can run in the meantime.
 *
 * @param expected number and hash of the last entry that the master has written. If the log does not contain this
 * entry, entries were removed from the end
 * @throws Error of the file system
 */
export async function verifyLog(folder: string, expected: Head): Promise<SecurityReport> {
  const verifier = new ChainVerifier();
  let count = 0;
  let hasExpected = expected.seq === 0;
  let first: SecurityEntry | null = null;
  let last: SecurityEntry | null = null;
  const files = await listSecurityFiles(folder);
  for (const [i, file] of files.entries()) {
    const { lines, hasRest } = await forEachLine(join(folder, file), (text, line) => {
      const entry = verifier.take(text, { file, line });
      if (entry === null) return;
      count += 1;
      first ??= entry;
      last = entry;
      hasExpected ||= entry.seq === expected.seq && entry.hash === expected.hash;
    });
    // The master may be writing the last line of the last file.
    if (hasRest && i < files.length - 1) verifier.takeCutOff({ file, line: lines + 1 });
  }
  const breaks = verifier.breaks();
  if (!hasExpected) breaks.push(missingEnd(files.at(-1) ?? '', verifier.head, expected));
  return {
    entries: count,
    first: placeOf(first),
    last: lastOf(last),
    breaks: breaks.slice(0, MAX_BREAKS),
    breakCount: breaks.length,
  };
}

function missingEnd(file: string, head: Head, expected: Head): ChainBreak {
  const why = `Entry ${expected.seq}, which this master has written, is missing: entries were removed from the end, or the log was replaced.`;
  return { file, line: 1, seq: Math.min(head.seq + 1, expected.seq), why };
}

function placeOf(entry: SecurityEntry | null): SecurityReport['first'] {
  return entry === null ? null : { seq: entry.seq, at: entry.at };
}

function lastOf(entry: SecurityEntry | null): SecurityReport['last'] {
  return entry === null ? null : { seq: entry.seq, at: entry.at, hash: entry.hash };
}
