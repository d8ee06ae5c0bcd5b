import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, createWriteStream, type WriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Header, type HeaderData } from 'tar/header';
import { Pax } from 'tar/pax';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { diskProblem } from '#master/templates/disk-problem.ts';
import { readRecord, type RevisionRecord } from '#master/templates/revisions/revision-record.ts';
import { modifiedAtMs } from '#master/templates/revisions/scan-folder.ts';
import { interruptedTransfer, localFileProblem } from '../../machine/local-file-problem.ts';
import { lastLines, NOT_FOUND } from '../../machine/run-program.ts';

/** Size of a block of a tar file (bytes). */
const BLOCK = 512;
/** Maximum size of a piece that is read at once (bytes). */
const CHUNK = 1 << 18;
/** Maximum number of characters that are kept from the end of a program's error output. */
const STDERR_TAIL = 2_000;

/** Programs that compress a tar file, by the extension of its name. GNU tar's option `-a` chooses the same ones. */
const COMPRESSIONS: Readonly<Record<string, string>> = {
  '.gz': 'gzip',
  '.tgz': 'gzip',
  '.zst': 'zstd',
  '.tzst': 'zstd',
  '.xz': 'xz',
  '.txz': 'xz',
  '.bz2': 'bzip2',
  '.tbz': 'bzip2',
  '.tbz2': 'bzip2',
};

/** A save that is packed. */
interface PackedSave {
  readonly volume: string;
  /** Folder with the saves of the volume, and their records. */
  readonly folder: string;
  readonly save: string;
}

/**
 * Packs a save into a tar file, which is compressed according to the extension of its name. The files have the modes
 * and times of the save (in whole seconds) and belong to root. The stored files do not have these modes and times,
 * because files with the same content are one file on the disk, even if they belong to different saves.
 *
 * An existing file is replaced when the new one is complete. Until then, the content is in a partial file beside it.
 *
 * @param file path of the tar file, or of a device or pipe
 * @param signal interrupts the call
 * @throws OverworldError SAVE_NOT_FOUND; VOLUME_UNREADABLE, also if the retention removes the save meanwhile;
 *   COMMAND_FAILED if the program that compresses fails; LOCAL_FILE_UNREADABLE or DISK_FULL if the tar file cannot be
 *   written; TRANSFER_FAILED if the call was interrupted
 */
export async function packSave(packed: PackedSave, file: string, signal: AbortSignal): Promise<void> {
  const { volume, folder, save } = packed;
  const record = await readRecord(join(folder, `${save}.json`));
  if (record === null) throw new OverworldError('SAVE_NOT_FOUND', { volume, save });
  const content = Readable.from(tarOf(packed, record), { objectMode: false });
  const program = COMPRESSIONS[extname(file)];
  const { target, partial, mode } = await findTarget(file);
  const out =
    partial === null ? createWriteStream(target) : createWriteStream(partial, { flags: 'wx', mode });
  try {
    await once(out, 'open');
    await (program === undefined
      ? pipeline(content, out, { signal })
      : compress(program, content, { out, signal }));
    if (partial !== null) await rename(partial, target);
  } catch (error) {
    if (partial !== null) await rm(partial, { force: true });
    throw signal.aborted ? interruptedTransfer(file) : localFileProblem(error, file);
  } finally {
    out.destroy();
  }
}

/**
 * Returns the path at which a tar file is written, the path of its partial file, and its mode. There is no partial file
 * for a device or pipe, which cannot be replaced, or for a folder, which then cannot be opened.
 */
async function findTarget(
  file: string,
): Promise<{ readonly target: string; readonly partial: string | null; readonly mode: number }> {
  // A link stays, and its target is replaced.
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch(() => null);
  // Two calls may write the same tar file at the same time.
  const name = `.${basename(target)}.${process.pid}.partial`;
  const isReplaceable = found === null || found.isFile();
  return {
    target,
    partial: isReplaceable ? join(dirname(target), name) : null,
    mode: found === null ? 0o666 : found.mode & 0o777,
  };
}

/**
 * Compresses `content` into an open file.
 *
 * @throws OverworldError COMMAND_FAILED, also if the signal is aborted; errors of `content`
 */
async function compress(
  program: string,
  content: Readable,
  { out, signal }: { readonly out: WriteStream; readonly signal: AbortSignal },
): Promise<void> {
  const child = spawn(program, ['-c'], { stdio: ['pipe', out, 'pipe'], signal });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_TAIL)));
  const end = new Promise<number>((resolve) => {
    child.once('close', (code) => resolve(code ?? -1));
    child.once('error', (error: NodeJS.ErrnoException) => {
      stderr = error.message;
      resolve(error.code === 'ENOENT' ? NOT_FOUND : -1);
    });
  });
  const [fed, code] = await Promise.all([
    pipeline(content, child.stdin).then(
      () => null,
      (error: unknown) => ({ error }),
    ),
    end,
  ]);
  // If the program has failed, its input was closed, too.
  if (code !== 0) {
    const why = lastLines({ code, stdout: '', stderr }, 3).replace(/\.$/, '');
    throw new OverworldError('COMMAND_FAILED', {
      command: `${program} -c`,
      why: why === '' ? `it ended with exit code ${code}` : why,
    });
  }
  if (fed !== null) throw fed.error;
}

/**
 * Yields the content of a tar file with the files and empty folders of a save.
 *
 * @throws OverworldError VOLUME_UNREADABLE
 */
async function* tarOf(
  { volume, folder, save }: PackedSave,
  { entries, storedAt }: RevisionRecord,
): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    const { path, size, mode, stamp } = entry;
    const isFolder = path.endsWith('/');
    // Saves do not contain the times of folders.
    const mtime = new Date(isFolder ? storedAt : modifiedAtMs(stamp));
    yield* headerOf({ path, size, mode, mtime, type: isFolder ? 'Directory' : 'File', uid: 0, gid: 0 });
    if (isFolder) continue;
    try {
      yield* contentOf(join(folder, save, path), size);
    } catch (error) {
      const why = `${path} ${error instanceof WrongSize ? error.message : `cannot be read: ${diskProblem(error)}`}`;
      throw new OverworldError('VOLUME_UNREADABLE', { volume, why }, error);
    }
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/**
 * Returns the header of an entry, which consists of one or more blocks. Long names, for example, need several blocks.
 */
function headerOf(data: HeaderData): Buffer[] {
  const block = Buffer.alloc(BLOCK);
  const needsPax = new Header(data).encode(block);
  return needsPax ? [new Pax(data).encode(), block] : [block];
}

class WrongSize extends Error {}

async function* contentOf(path: string, size: number): AsyncGenerator<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    if (found.size !== size) throw new WrongSize(`has ${found.size} instead of ${size} bytes`);
    for (let left = size; left > 0;) {
      // Each chunk gets a new buffer, because the previous chunk may still be waiting in a stream.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(CHUNK, left)));
      if (bytesRead === 0) throw new WrongSize(`has ${size - left} instead of ${size} bytes`);
      left -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
