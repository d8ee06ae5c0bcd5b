import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isInGroup, type SecurityEntry, type SecurityGroup } from '#shared/model/access/security-entry.ts';
import { parseLine } from './chain.ts';
import { listSecurityFiles } from './files.ts';

/** Number of bytes that are read at once. It limits the work between two awaits to a few milliseconds. */
const BLOCK_BYTES = 65_536;
/**
 * Number of bytes after which a page ends, however many entries it has. Without this limit, a filter that matches few
 * entries would read the whole of a large log.
 */
const MAX_PAGE_BYTES = 32 * 1_048_576;

export interface EntryQuery {
  readonly order: 'newest' | 'oldest';
  /** Number of an entry. The page begins after this entry, in the given order. */
  readonly from?: number | undefined;
  readonly group?: SecurityGroup | undefined;
  readonly limit: number;
}

export interface EntryPage {
  readonly entries: readonly SecurityEntry[];
  /** Value of `from` for the next page. Null if there are no more entries. */
  readonly next: number | null;
}

/**
 * Reads a page of entries of the security log: at most `limit` entries. The page ends earlier if more than 32 MiB
 * were read for it. Skips lines that are not entries. Does not verify the chain.
 *
 * @throws Error of the file system
 */
export async function readEntries(
  folder: string,
  { order, from, group, limit }: EntryQuery,
): Promise<EntryPage> {
  const isAfter = ({ seq }: SecurityEntry): boolean =>
    from === undefined || (order === 'newest' ? seq < from : seq > from);
  const entries: SecurityEntry[] = [];
  let bytes = 0;
  for (const name of await filesFrom(folder, order, from)) {
    for await (const { text, size } of linesOf(join(folder, name), order)) {
      bytes += size;
      for (const line of text) {
        const entry = parseLine(line);
        if (entry === null || !isAfter(entry)) continue;
        if (group === undefined || isInGroup(entry.kind, group)) entries.push(entry);
        if (entries.length === limit || bytes > MAX_PAGE_BYTES) return { entries, next: entry.seq };
      }
    }
  }
  return { entries, next: null };
}

/** Returns the files that can contain entries after `from`. The files are in the given order. */
async function filesFrom(folder: string, order: EntryQuery['order'], from?: number): Promise<string[]> {
  const files = (await listSecurityFiles(folder)).map((name) => ({ name, first: Number.parseInt(name, 10) }));
  const chosen = files.filter(({ first }, i) => {
    if (from === undefined) return true;
    return order === 'newest' ? first < from : (files[i + 1]?.first ?? Infinity) > from + 1;
  });
  const names = chosen.map(({ name }) => name);
  return order === 'newest' ? names.reverse() : names;
}

/** Reads the complete lines of a file in blocks, in the given order. `size` is the number of bytes of the block. */
async function* linesOf(
  path: string,
  order: EntryQuery['order'],
): AsyncGenerator<{ text: readonly string[]; size: number }> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    // The log has removed the file because of its age.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const end = (await file.stat()).size;
    let rest = Buffer.alloc(0);
    for (let done = 0; done < end; done += BLOCK_BYTES) {
      const size = Math.min(BLOCK_BYTES, end - done);
      const at = order === 'newest' ? end - done - size : done;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, at);
      const block = buffer.subarray(0, bytesRead);
      const isLast = done + size >= end;
      if (order === 'oldest') {
        const whole = Buffer.concat([rest, block]);
        const cut = whole.lastIndexOf(0x0a) + 1;
        rest = whole.subarray(cut);
        yield { text: toLines(whole.subarray(0, cut)), size };
      } else {
        const whole = Buffer.concat([block, rest]);
        // The first line of a block may begin in the previous block of the file.
        const firstEnd = whole.indexOf(0x0a) + 1;
        const cut = isLast ? 0 : firstEnd === 0 ? whole.length : firstEnd;
        rest = whole.subarray(0, cut);
        yield { text: toLines(whole.subarray(cut)).reverse(), size };
      }
    }
  } finally {
    await file.close();
  }
}

/** Returns the lines of a text. Leaves out an incomplete last line. */
function toLines(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

/**
 * Calls a function with each line of a file, in order. Other work can run between blocks of lines.
 *
 * @param onLine gets the line without its line break, and its number, from 1
 * @returns number of complete lines, and whether an incomplete line follows them
 * @throws Error of the file system
 */
export async function forEachLine(
  path: string,
  onLine: (text: string, line: number) => void,
): Promise<{ lines: number; hasRest: boolean }> {
  let lines = 0;
  let bytes = 0;
  let size = 0;
  for await (const block of linesOf(path, 'oldest')) {
    size += block.size;
    for (const line of block.text) {
      onLine(line, (lines += 1));
      bytes += Buffer.byteLength(line) + 1;
    }
  }
  return { lines, hasRest: bytes < size };
}
