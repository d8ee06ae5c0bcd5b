import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { MAX_PIECE_BYTES, type ServiceCopy } from '#shared/model/service-files.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { inExactFolder } from '#master/templates/pinned-folder.ts';
import { MessageBudget } from '../message-budget.ts';
import type { Work } from '../tasks.ts';
import { planFetch } from './fetch-plan.ts';
import type { SecretFilter } from './secret-filter.ts';
import type { FileSource } from './source.ts';

/**
 * Number of files that are fetched at the same time. The number is low, because the connection to a node also carries
 * its consoles and commands, which must not wait for pieces of files.
 */
const PARALLEL_FILES = 2;

export interface FetchRequest {
  /** Paths in the source. The empty path means everything. */
  readonly paths: readonly string[];
  /** Real path of an existing empty folder on the master's disk. */
  readonly into: string;
  readonly leavesOut: (path: string) => boolean;
  /** Hides the network's secret in the copies. */
  readonly secret: SecretFilter;
  /** Called with the total size (bytes) before anything is fetched. Must throw if the size is too large. */
  readonly admit: (bytes: number) => void;
  readonly reserve: DiskReserve;
}

/**
 * Copies files of a source to a folder on the master's disk. Skips files that are deleted meanwhile or cannot be
 * read. A running server changes its files all the time. A file that changes meanwhile is copied nevertheless, and
 * the result names it. Links in the destination folder are never followed, because code in the SSH service may place
 * them (docs/design/file-service.md#links).
 *
 * @throws OverworldError FILE_NOT_FOUND, TOO_MANY; whatever `admit` and the source throw; DiskReserveReached;
 *   FolderReplaced; errno errors; the signal's abort reason
 */
export async function fetchTree(
  source: FileSource,
  { into, secret, admit, reserve, ...wanted }: FetchRequest,
  work: Work,
): Promise<ServiceCopy> {
  const plan = await planFetch(source, wanted, work.signal);
  admit(plan.bytes);
  reserve.require(plan.bytes);
  work.progress.expect(plan.files.length, plan.bytes);
  for (const folder of plan.folders) {
    reserve.requireEntry();
    await inParent({ into, path: folder }, (path) => mkdir(path, { recursive: true, mode: 0o700 }));
  }
  const skipped = [...plan.skipped];
  const changed: string[] = [];
  let files = 0;
  let bytes = 0;
  await forEachLimited(plan.files, PARALLEL_FILES, async ({ path, bytes: planned }) => {
    const fetched = await fetchOne({
      source,
      path,
      planned,
      into,
      secret,
      reserve,
      work,
    });
    if (fetched === null) {
      skipped.push(path);
      return;
    }
    files += 1;
    bytes += fetched.bytes;
    if (fetched.changed) changed.push(path);
    work.progress.file();
  });
  const room = new MessageBudget();
  const shown = (all: readonly string[]): string[] => all.toSorted().filter((path) => room.take(path));
  return { files, bytes, skipped: shown(skipped), changed: shown(changed) };
}

/**
 * Calls `work` with a path for system calls on an entry of the copy. Meanwhile, the path always leads to the same
 * parent folder.
 *
 * @throws FolderReplaced if a link has replaced this folder; errno errors; what `work` throws
 */
function inParent<T>(
  { into, path }: Pick<OneFetch, 'into' | 'path'>,
  work: (path: string) => Promise<T>,
): Promise<T> {
  // Uses inExactFolder only on Linux. On other systems, the names in the copy may differ from the names on the node,
  // for example in upper and lower case. inExactFolder would then fail.
  if (process.platform !== 'linux') return work(join(into, path));
  const parent = posix.dirname(path);
  return inExactFolder(into, parent === '.' ? '' : parent, (folder) =>
    work(join(folder, posix.basename(path))),
  );
}

interface OneFetch extends Pick<FetchRequest, 'into' | 'secret' | 'reserve'> {
  readonly source: FileSource;
  readonly path: string;
  /** Size of the file when the fetch was planned (bytes). */
  readonly planned: number;
  readonly work: Work;
}

/** Fetches one file. Returns null if the file was deleted meanwhile, or is not readable. */
async function fetchOne(
  one: OneFetch,
): Promise<{ readonly bytes: number; readonly changed: boolean } | null> {
  one.reserve.requireEntry();
  const file = await inParent(one, (path) => open(path, 'wx', 0o600));
  try {
    return await fill(file, one);
  } catch (error) {
    if (!hasCode(error, 'FILE_NOT_FOUND') && !hasCode(error, 'FILE_FORBIDDEN')) throw error;
    await inParent(one, (path) => rm(path, { force: true }));
    return null;
  } finally {
    await file.close();
  }
}

async function fill(
  file: FileHandle,
  { source, path, planned, secret, reserve, work }: OneFetch,
): Promise<{ readonly bytes: number; readonly changed: boolean }> {
  const length = MAX_PIECE_BYTES;
  const first = await source.read(path, { from: 0, length });
  let last = first;
  let read = 0;
  let kept: Buffer = Buffer.alloc(0);
  // Fetches a growing file only up to its size at the start, so that the task ends.
  for (;;) {
    work.signal.throwIfAborted();
    const wanted = last.content.subarray(0, Math.max(0, first.bytes - read));
    if (wanted.length === 0) break;
    read += wanted.length;
    const known = secret.hide(Buffer.concat([kept, wanted]));
    // Keeps the last bytes, because a secret that begins in them may end in the next piece.
    const complete = Math.max(0, known.length - secret.length + 1);
    await writeAll(file, known.subarray(0, complete), reserve);
    kept = known.subarray(complete);
    work.progress.bytes(wanted.length);
    if (read >= first.bytes) break;
    last = await source.read(path, { from: read, length });
  }
  await writeAll(file, kept, reserve);
  const isSame = last.bytes === first.bytes && last.changedAt === first.changedAt && planned === first.bytes;
  await file.utimes(new Date(first.changedAt), new Date(first.changedAt));
  return { bytes: read, changed: !isSame || read !== first.bytes };
}

async function writeAll(file: FileHandle, content: Buffer, reserve: DiskReserve): Promise<void> {
  for (let at = 0; at < content.length;) {
    const rest = content.subarray(at);
    at += await reserve.use(rest.length, async () => (await file.write(rest)).bytesWritten);
  }
}
