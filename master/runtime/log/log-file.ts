import { constants, createReadStream, createWriteStream, statSync, truncateSync } from 'node:fs';
import { open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
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
/** A process that writes faster than this can copy is cut all the same. */
const MAX_PASSES = 20;

/**
 * Cuts a log that a process keeps writing to: its end is copied to `.1`, with what is written meanwhile, then it is
 * emptied in place; the process appends, so it goes on at the new end.
 *
 * @param readToEnd shows what the log has so far; returns its size, bytes
 */
export async function cutLog(path: string, readToEnd: () => Promise<number>): Promise<void> {
  const copy = `${path}.1`;
  /** What `.1` holds of the log: bytes from `from` to `to`. */
  let held = { from: 0, to: -1 };
  try {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const to = await readToEnd();
      // In one go with the truncation below: what is written between the two would be lost.
      if (to === held.to && statSync(path).size === to) break;
      if (held.to === -1 || to < held.to || to - held.from > MAX_LOG_BYTES) {
        held = { from: Math.max(0, to - MAX_LOG_BYTES + CARRY_BYTES), to };
        await copyPiece(path, held, { target: `${copy}.part`, flags: 'w' });
        await rename(`${copy}.part`, copy);
      } else {
        await copyPiece(path, { from: held.to, to }, { target: copy, flags: 'a' });
        held = { from: held.from, to };
      }
    }
  } finally {
    // Also when there is no room for the copy: a log must never be what fills the disk.
    truncateSync(path, 0);
    await rm(`${copy}.part`, { force: true });
  }
}

async function copyPiece(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
  { target, flags }: { readonly target: string; readonly flags: 'w' | 'a' },
): Promise<void> {
  if (from === to) return writeFile(target, '', { flag: flags, mode: 0o600 });
  const source = createReadStream(path, { start: from, end: to - 1 });
  await pipeline(source, createWriteStream(target, { mode: 0o600, flags }));
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
