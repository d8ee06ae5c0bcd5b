import { open, type FileHandle } from 'node:fs/promises';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';

/** File to send: its name in the stream, and the path of its content or the content itself. */
export interface TarFile {
  /** Name of the file in the stream; at most 100 ASCII characters. */
  readonly name: string;
  readonly size: number;
  readonly source: string | Buffer;
}

const BLOCK = 512;
const CHUNK_BYTES = 1 << 18;
/**
 * Size up to which files are read ahead, several at a time (bytes), because the disk latency of many small files
 * would otherwise add up.
 */
const SMALL_BYTES = 1 << 16;
const AHEAD = 16;
/**
 * First size that is not written with octal digits (bytes). A size field has 11 octal digits (8 GiB); common readers
 * accept a twelfth digit.
 */
const FIRST_BINARY_SIZE = 8 ** 12;

/** Thrown if a file has changed or vanished since its size was determined. */
export class SourceChanged extends Error {}

/**
 * Encodes files as a tar stream (POSIX.1-1988 ustar, with the sizes of GNU tar from 64 GiB on) in the given sequence,
 * in large chunks. The stream ends early with an error if a file does not have the expected size.
 *
 * @throws SourceChanged, errno errors of the disk
 */
export async function* tarStream(files: readonly TarFile[]): AsyncGenerator<Buffer> {
  const gathered = new Gatherer();
  const ahead: Promise<Buffer>[] = [];
  let next = 0;
  for (const [index, file] of files.entries()) {
    while (next < files.length && next < index + AHEAD) {
      const one = files[next++];
      const isRead = typeof one?.source === 'string' && one.size <= SMALL_BYTES;
      const content = isRead ? readSmall(one.source, one.size) : EMPTY;
      // The error is thrown when this file is sent.
      content.catch(() => undefined);
      ahead.push(content);
    }
    yield* gathered.add(headerOf(file));
    const small = ahead.shift();
    const { source, size } = file;
    if (typeof source !== 'string') yield* gathered.add(source);
    else if (size <= SMALL_BYTES) yield* gathered.add((await small) ?? Buffer.alloc(0));
    else for await (const chunk of readLarge(source, size)) yield* gathered.add(chunk);
    yield* gathered.add(Buffer.alloc((BLOCK - (file.size % BLOCK)) % BLOCK));
  }
  yield* gathered.add(Buffer.alloc(2 * BLOCK));
  yield* gathered.rest();
}

const EMPTY = Promise.resolve(Buffer.alloc(0));

/** Joins small chunks into large ones, because each chunk is sent as a separate message. */
class Gatherer {
  #held: Buffer[] = [];
  #bytes = 0;

  *add(bytes: Buffer): Generator<Buffer> {
    this.#held.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= CHUNK_BYTES) yield* this.rest();
  }

  *rest(): Generator<Buffer> {
    const [only] = this.#held;
    const all = this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held);
    this.#held = [];
    this.#bytes = 0;
    if (all.length > 0) yield all;
  }
}

function headerOf({ name, size }: TarFile): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a tar stream`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  header.write('0000600\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  if (size < FIRST_BINARY_SIZE) header.write(octal(size), 124, 'latin1');
  else {
    // The form of GNU tar: the first bit is set, and the rest of the field is a binary number.
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write('00000000000\0', 136, 'latin1');
  header.write('        0', 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function octal(size: number): string {
  const digits = size.toString(8).padStart(11, '0');
  return digits.length === 11 ? `${digits}\0` : digits;
}

async function readSmall(source: string, size: number): Promise<Buffer> {
  const handle = await openSource(source, size);
  try {
    const content = await handle.readFile();
    if (content.length !== size) throw changed(source);
    return content;
  } finally {
    await handle.close();
  }
}

async function* readLarge(source: string, size: number): AsyncGenerator<Buffer> {
  const handle = await openSource(source, size);
  try {
    for (let left = size; left > 0;) {
      // A new buffer is needed each time, because the previous one is still being sent.
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, left));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) throw changed(source);
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function openSource(source: string, size: number): Promise<FileHandle> {
  const handle = await open(source, READ_ONLY_FILE);
  const stats = await handle.stat();
  if (stats.isFile() && stats.size === size) return handle;
  await handle.close();
  throw changed(source);
}

function changed(source: string): SourceChanged {
  return new SourceChanged(`${source} changed while it was read`);
}
