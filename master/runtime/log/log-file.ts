import { constants, ftruncateSync, readSync, renameSync, writeSync } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { isDiskFull } from '#master/templates/disk-problem.ts';
import { countLines, decodeLine } from './log-lines.ts';

/** A log is cut when it is longer than this; as much is kept beside it as `.1`. */
export const MAX_LOG_BYTES = 20 * 1_048_576;

const CHUNK_BYTES = 64 * 1024;
/** So far back the last lines are looked for, however few line ends there are. */
const MAX_TAIL_BYTES = 8 * 1_048_576;

/** Size of a file in bytes; 0 when there is none. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Calls back with each piece of a file from `from` to `to`, in order, until it answers false; nothing for a missing
 * file. The piece is only lent.
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
 * The last lines of a file's first `end` bytes, oldest first, read from the end. A piece after the last line end
 * counts as a line.
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
    // One more line end than lines: the one before the first of them.
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

/** Room in `.1` for what is written while the rest is copied there. */
const CARRY_BYTES = 1_048_576;
/** So little is copied in one go with the truncation: it takes less than a millisecond. */
const REST_BYTES = 256 * 1024;
/** The most that is copied in one go when the log grows faster than it can be followed. */
const MOST_REST_BYTES = 8 * 1_048_576;
const MAX_PASSES = 20;
/** A log of this size is emptied even if it cannot be copied: it must never be what fills the disk. */
export const MOST_LOG_BYTES = 2 * MAX_LOG_BYTES;

/**
 * Cuts a log that a process keeps writing to: its end is copied to `.1`, with what is written meanwhile, then it is
 * emptied in place; the process appends, so it goes on at the new end. When that fails, the log stays as it was, unless
 * the disk is full or the log is longer than {@link MOST_LOG_BYTES}.
 *
 * @param readToEnd shows what the log has so far; returns its size, bytes
 * @returns how many bytes at the end of `.1` have not been shown
 * @throws errno errors, and what `readToEnd` throws
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

/** The part of a log that its copy holds, bytes. */
interface Held {
  readonly from: number;
  readonly to: number;
}

/** Copies the end of a log until what is left of it is little. */
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
 * Copies what is left of a log and empties it, in one go: what is written between the two is lost, and the next call of
 * the system follows within microseconds.
 *
 * @param put puts the copy in its place
 * @returns how many bytes were left
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

/** Puts a log aside as `.1` that no process holds open. */
export async function moveLog(path: string): Promise<void> {
  await rename(path, `${path}.1`);
}

/** Its service could put something else in its place: what is no file counts as none, and a pipe is not waited for. */
async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return null;
    throw error;
  }
}
