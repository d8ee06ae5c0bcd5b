import { constants, ftruncateSync, readSync, renameSync, writeSync } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { isDiskFull } from '#master/templates/disk-problem.ts';
import { countLines, decodeLine } from './log-lines.ts';

/**
 * Size above which a log is cut (bytes). The part that is cut off is stored in the file `<log>.1`, which has at most
 * the same size.
 */
export const MAX_LOG_BYTES = 20 * 1_048_576;

const CHUNK_BYTES = 64 * 1024;
/** Maximum number of bytes to read backwards in search of the last lines, even if they contain few line ends. */
const MAX_TAIL_BYTES = 8 * 1_048_576;

/** Returns the size of a file (bytes); 0 if it does not exist. @throws errno errors */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Reads a file piece by piece from the offset `from` to the offset `to` (bytes). Calls `each` with every piece until
 * `each` returns false. A piece is valid only during that call. Does nothing if the file does not exist.
 */
export async function readPieces(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
  each: (piece: Buffer) => unknown,
): Promise<void> {
  const file = await openExisting(path);
  if (file === null) return;
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = from; at < to;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, to - at), at);
      if (bytesRead === 0) return;
      if (each(buffer.subarray(0, bytesRead)) === false) return;
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/**
 * Returns the last `count` lines of a file's first `end` bytes, oldest first; an empty list if the file does not
 * exist. Text after the last line end counts as a line of its own. Reads at most 8 MiB, so it may return fewer lines.
 */
export async function readLastLines(path: string, end: number, count: number): Promise<string[]> {
  const file = await openExisting(path);
  if (file === null || count <= 0) {
    await file?.close();
    return [];
  }
  try {
    const pieces: Buffer[] = [];
    let from = end;
    // N lines need N + 1 line ends, including the line end before the first line.
    for (let found = 0; from > 0 && found <= count && end - from < MAX_TAIL_BYTES;) {
      const start = Math.max(0, from - CHUNK_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(from - start), 0, from - start, start);
      const piece = buffer.subarray(0, bytesRead);
      pieces.unshift(piece);
      found += countLines(piece);
      from = start;
    }
    const lines = splitLines(Buffer.concat(pieces));
    return (from > 0 ? lines.slice(1) : lines).slice(-count);
  } finally {
    await file.close();
  }
}

function splitLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  let from = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, from)) {
    lines.push(decodeLine(bytes.subarray(from, at)));
    from = at + 1;
  }
  if (from < bytes.length) lines.push(decodeLine(bytes.subarray(from)));
  return lines;
}

/** Space reserved in `.1` for lines that the process writes during the copy (bytes). */
const CARRY_BYTES = 1_048_576;
/**
 * Maximum size of the remaining part that is copied together with the truncation (bytes). Copying it takes less
 * than a millisecond.
 */
const REST_BYTES = 256 * 1024;
/** Maximum number of bytes copied together with the truncation, if the log grows faster than it can be copied. */
const MOST_REST_BYTES = 8 * 1_048_576;
const MAX_PASSES = 20;
/** Size above which a log is truncated even if it cannot be copied (bytes), so that it cannot fill the disk. */
export const MOST_LOG_BYTES = 2 * MAX_LOG_BYTES;

/**
 * Cuts a log that a process is writing to. Copies the end of the log to `.1`, including lines that arrive during the
 * copy. Then truncates the log in place. The process opened the log for appending, so it continues at the new end.
 * Lines that arrive between the last read and the truncation, within microseconds, are lost. If the copy fails,
 * leaves the log unchanged and throws. But if the disk is full or the log is longer than {@link MOST_LOG_BYTES},
 * truncates the log without a copy.
 *
 * @param readToEnd sends the log's content so far to its followers; returns the log's size (bytes)
 * @returns the number of bytes at the end of `.1` that have not been sent to followers
 * @throws errno errors, and errors of `readToEnd`
 */
export async function cutLog(path: string, readToEnd: () => Promise<number>): Promise<number> {
  const part = `${path}.1.part`;
  const log = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    await rm(part, { recursive: true, force: true });
    const copy = await open(part, 'wx+', 0o600);
    try {
      const held = await followLog(log, copy, readToEnd);
      return finishCut({ log: log.fd, copy: copy.fd }, held, () => renameSync(part, `${path}.1`));
    } finally {
      await copy.close();
    }
  } catch (error) {
    if (!isDiskFull(error) && (await log.stat()).size <= MOST_LOG_BYTES) throw error;
    await log.truncate(0);
    return 0;
  } finally {
    await log.close();
    await rm(part, { force: true });
  }
}

/** The part of a log that is already copied (offsets in bytes). */
interface Held {
  readonly from: number;
  readonly to: number;
}

/**
 * Copies the end of a log in several passes, until only little is left to copy. Several passes are needed because the
 * process keeps writing.
 */
async function followLog(log: FileHandle, copy: FileHandle, readToEnd: () => Promise<number>): Promise<Held> {
  let held: Held | null = null;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const to = await readToEnd();
    if (held === null || to < held.to || to - held.from > MAX_LOG_BYTES - REST_BYTES) {
      const from = Math.max(0, to - MAX_LOG_BYTES + CARRY_BYTES);
      await copy.truncate(0);
      held = { from, to: from };
    }
    await copyPiece(log, copy, { ...held, until: to });
    held = { from: held.from, to };
    const left = (await log.stat()).size - to;
    if (left >= 0 && left <= REST_BYTES) break;
  }
  return held ?? { from: 0, to: 0 };
}

async function copyPiece(
  log: FileHandle,
  copy: FileHandle,
  { from, to, until }: Held & { readonly until: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = to; at < until;) {
    const { bytesRead } = await log.read(buffer, 0, Math.min(CHUNK_BYTES, until - at), at);
    if (bytesRead === 0) return;
    await copy.write(buffer, 0, bytesRead, at - from);
    at += bytesRead;
  }
}

/**
 * Copies the rest of a log and truncates the log, synchronously. Lines that the process writes between the last
 * read and the truncation are lost; the two system calls are microseconds apart.
 *
 * @param put moves the copy to `.1`
 * @returns the number of bytes that this call has copied
 */
function finishCut(
  { log, copy }: { readonly log: number; readonly copy: number },
  { from, to }: Held,
  put: () => void,
): number {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = to;
  const copyRest = (): void => {
    while (at - to < MOST_REST_BYTES) {
      const bytesRead = readSync(log, buffer, 0, CHUNK_BYTES, at);
      if (bytesRead === 0) return;
      writeSync(copy, buffer, 0, bytesRead, at - from);
      at += bytesRead;
    }
  };
  copyRest();
  put();
  copyRest();
  ftruncateSync(log, 0);
  return at - to;
}

/** Renames a log to `.1`, and replaces an existing `.1`. No process may have the log open. @throws errno errors */
export async function moveLog(path: string): Promise<void> {
  await rename(path, `${path}.1`);
}

/**
 * Opens a log; returns null if it is missing. A service could have replaced its log, so anything but a regular file
 * counts as missing, and opening a pipe does not block.
 */
async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, READ_ONLY_FILE);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return null;
    throw error;
  }
}
