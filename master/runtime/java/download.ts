import { open, rename, rm, stat } from 'node:fs/promises';
import { hashFile } from '#master/templates/copy-file.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { dirname } from 'node:path';
import { request, requireOk, type JavaBuild } from './adoptium.ts';
import { JavaProblem } from './java-problem.ts';

/** Time without any data after which a download counts as interrupted (ms). */
const QUIET_MS = 30_000;
/**
 * Time limit of one attempt (ms), so that a host that sends a byte now and then does not block the version for ever.
 */
const ATTEMPT_MS = 60 * 60_000;
/** Number of attempts. Each attempt continues where the previous one stopped. */
const ATTEMPTS = 3;

/**
 * Downloads an archive to a path, unless the file exists. Writes to `<path>.part`, and renames it once its hash is
 * correct. Makes up to three attempts of at most one hour each; each attempt, and each later call, continues where
 * the last attempt stopped. If the file exists already, only its size is checked.
 *
 * @param reserve called once before the download with the number of bytes to write; throws if there is no room
 * @throws JavaProblem; errno errors of the disk; whatever `reserve` throws
 */
export async function download(
  { url, sha256, size }: JavaBuild,
  path: string,
  reserve: (bytes: number) => void,
): Promise<void> {
  if ((await sizeOf(path)) === size) return;
  const part = `${path}.part`;
  // A file that is longer than the archive is not the beginning of the archive.
  if ((await sizeOf(part)) > size) await rm(part);
  reserve(size - (await sizeOf(part)));
  for (let attempt = 1; (await sizeOf(part)) < size; attempt += 1) {
    try {
      await append(new URL(url), part, size);
    } catch (error) {
      if (attempt >= ATTEMPTS || !(error instanceof Interrupted)) throw error;
    }
  }
  if ((await hashFile(part)) !== sha256) {
    await rm(part);
    throw new JavaProblem(`the file from ${new URL(url).host} is damaged: its hash is not the announced one`);
  }
  await rename(part, path);
  await syncFolder(dirname(path));
}

/** A download that stopped before its end. */
class Interrupted extends JavaProblem {}

/** Downloads the missing end of a file and appends it to the file at `part`. */
async function append(url: URL, part: string, size: number): Promise<void> {
  const from = await sizeOf(part);
  const quiet = new AbortController();
  const signal = AbortSignal.any([quiet.signal, AbortSignal.timeout(ATTEMPT_MS)]);
  let timer = setTimeout(() => quiet.abort(), QUIET_MS);
  try {
    const headers: Record<string, string> = from === 0 ? {} : { Range: `bytes=${from}-` };
    const answer = await request(url, { headers, signal });
    requireOk(answer, url.host);
    // Without the status of a part, the answer contains the whole file.
    const isPart = answer.status === 206;
    const file = await open(part, isPart ? 'a' : 'w', 0o600);
    try {
      let written = isPart ? from : 0;
      // The body of an answer consists of bytes.
      for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
        timer = restarted(timer, quiet);
        written += chunk.length;
        if (written > size) throw new JavaProblem(`${url.host} sent more than the announced ${size} bytes`);
        await file.writeFile(chunk);
      }
      await file.sync();
      if (written < size)
        throw new Interrupted(`the download from ${url.host} stopped after ${written} bytes`);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof JavaProblem || isOfDisk(error)) throw error;
    throw new Interrupted(`the download from ${url.host} stopped`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function restarted(timer: NodeJS.Timeout, quiet: AbortController): NodeJS.Timeout {
  clearTimeout(timer);
  return setTimeout(() => quiet.abort(), QUIET_MS);
}

/** Reports whether an error comes from the file system and not from the network. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Returns the size of a file (bytes); 0 if the size cannot be read, for example because the file does not exist. */
export async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
