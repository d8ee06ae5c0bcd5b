import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { DiskReserveReached, type DiskReserve } from '#master/store/disk-reserve.ts';
import type { HttpSource, OpenedDownload } from '../catalogue/http-source.ts';
import type { PublishedJar, StatedHash } from '../source.ts';

/** Size limit of a jar (bytes). The largest server jars have some 100 MB. */
const MAX_JAR_BYTES = 512 * 1_048_576;

/** Maximum time to wait for the next byte of a download (ms). */
const IDLE_MS = 30_000;

/** Receives the progress of a download. */
export interface DownloadProgress {
  /** Called once the total size is known (bytes). */
  expect(files: number, bytes: number): void;
  /** Called with the number of bytes received since the last call. */
  bytes(count: number): void;
}

/** The parts of the master and of the request that a download needs. */
export interface DownloadContext {
  readonly http: Pick<HttpSource, 'download' | 'interrupted'>;
  readonly reserve: DiskReserve;
  /** Cancels the download. Received bytes are kept for the next attempt. */
  readonly signal: AbortSignal;
  readonly progress: DownloadProgress;
}

/**
 * Downloads a jar to a file, and checks its hash if the publisher states one. If the file contains the beginning of
 * the jar from an earlier attempt, only the rest is requested. If the hash then differs, the whole jar is downloaded
 * again, because the existing bytes may belong to another file. Gives up if no bytes arrive for 30 s.
 *
 * @param path the file that receives the jar. When the call resolves, it is complete and flushed to the disk. It is
 * removed if its hash differs
 * @param what name of the software, for messages
 * @returns the sha256 of the jar in hex
 * @throws OverworldError SOFTWARE_HASH_DIFFERS, DISK_FULL, DISK_RESERVED, and the errors of HttpSource; the reason of
 * `signal` if it is aborted
 */
export async function downloadJar(
  path: string,
  { jar, what }: { readonly jar: PublishedJar; readonly what: string },
  context: DownloadContext,
): Promise<string> {
  const from = await sizeOf(path);
  await receive(path, { jar, what, from }, context);
  const first = await check(path, jar.hash);
  if (first.differs === null) return first.sha256;
  await rm(path, { force: true });
  if (from === 0) throw hashDiffers(what, first.differs);
  await receive(path, { jar, what, from: 0 }, context);
  const second = await check(path, jar.hash);
  if (second.differs === null) return second.sha256;
  await rm(path, { force: true });
  throw hashDiffers(what, second.differs);
}

/** The hash that the publisher states, and the different hash of the downloaded file. */
interface Difference {
  readonly stated: StatedHash;
  readonly actual: string;
}

function hashDiffers(what: string, { stated, actual }: Difference): OverworldError {
  const { algorithm, value } = stated;
  return new OverworldError('SOFTWARE_HASH_DIFFERS', { what, algorithm, stated: value, actual });
}

async function check(
  path: string,
  stated: StatedHash | null,
): Promise<{ readonly sha256: string; readonly differs: Difference | null }> {
  const sha256 = createHash('sha256');
  const other = stated === null || stated.algorithm === 'sha256' ? null : createHash(stated.algorithm);
  await pipeline(
    createReadStream(path, { highWaterMark: 1 << 20 }),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        sha256.update(chunk);
        other?.update(chunk);
      }
    },
  );
  const own = sha256.digest('hex');
  const actual = other?.digest('hex') ?? own;
  const differs = stated === null || stated.value === actual ? null : { stated, actual };
  return { sha256: own, differs };
}

async function receive(
  path: string,
  { jar, what, from }: { readonly jar: PublishedJar; readonly what: string; readonly from: number },
  { http, reserve, signal, progress }: DownloadContext,
): Promise<void> {
  if (jar.bytes !== null && from === jar.bytes) {
    progress.expect(1, jar.bytes);
    progress.bytes(jar.bytes);
    return;
  }
  const idle = new AbortController();
  let timer = setTimeout(() => idle.abort(), IDLE_MS);
  const answer = await http
    .download(jar.url, { what, from, signal: AbortSignal.any([signal, idle.signal]) })
    .catch((error: unknown) => {
      clearTimeout(timer);
      throw signal.aborted ? signal.reason : error;
    });
  const start = answer.status === 206 ? from : 0;
  const total = jar.bytes ?? (answer.length === null ? null : start + answer.length);
  try {
    if (total !== null) {
      if (total > MAX_JAR_BYTES) throw tooLarge(what);
      progress.expect(1, total);
    }
    progress.bytes(start);
    await reserve.use(total === null ? 0 : total - start, () =>
      write(path, { answer, start, what }, (bytes) => {
        clearTimeout(timer);
        timer = setTimeout(() => idle.abort(), IDLE_MS);
        progress.bytes(bytes);
      }),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof OverworldError) throw error;
    if (error instanceof DiskReserveReached) {
      throw new OverworldError('DISK_RESERVED', { path, why: error.message }, error);
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new OverworldError('DISK_FULL', { path }, error);
    throw http.interrupted(error);
  } finally {
    clearTimeout(timer);
  }
}

async function write(
  path: string,
  { answer, start, what }: { readonly answer: OpenedDownload; readonly start: number; readonly what: string },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const file = await open(path, start === 0 ? 'w' : 'r+', 0o600);
  try {
    let at = start;
    for await (const chunk of answer.body) {
      if (at + chunk.length > MAX_JAR_BYTES) throw tooLarge(what);
      await file.write(chunk, 0, chunk.length, at);
      at += chunk.length;
      onBytes(chunk.length);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

function tooLarge(what: string): OverworldError {
  const why = `it is larger than ${MAX_JAR_BYTES / 1_048_576} MB`;
  return new OverworldError('SOFTWARE_ANSWER_UNREADABLE', { publisher: 'Its publisher', what, why });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
