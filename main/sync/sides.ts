import { join } from 'node:path';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ManifestEntry } from '#shared/model/files.ts';
import { hashLocalFile } from '../transfers/local/hash-file.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import type { Sources } from '../transfers/operations/move-source.ts';
import { isLocalName, isPartName } from '../transfers/remote/names.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { walkLocal, walkRemote, type Tree } from '../transfers/operations/tree.ts';
import type { WalkedSide } from './comparable.ts';
import type { SideFile } from './verdict.ts';

/** Number of files hashed in parallel on this computer. */
const HASHES_AT_A_TIME = 4;

/**
 * Requests the list of everything below a folder from the master.
 *
 * @throws OverworldError UNSUPPORTED_BY_MASTER on an older master, TOO_MANY
 */
export type AskManifest = (folder: string, options: ManifestOptions) => Promise<ManifestEntry[]>;

/**
 * `hashes`: whether the master returns hashes of the files. `task`: an id that the window has chosen for the request.
 * The master sends progress with this id, and the window uses it to cancel the request.
 */
interface ManifestOptions {
  readonly hashes: boolean;
  readonly task?: string | undefined;
}

/**
 * Lists the files below a folder of this computer, without hashes. Skips partial files.
 *
 * @throws OverworldError LOCAL_FILE_UNREADABLE; FILE_FORBIDDEN if the folder has too many entries or levels
 */
export async function readLocalSide(folder: string): Promise<WalkedSide> {
  return toSide(await walkLocal(folder));
}

/**
 * Lists the files below a folder of the master. If the master is too old for `ask`, or the folder is too large for
 * it, walks the folder over SFTP instead. SFTP supplies no hashes.
 *
 * @throws OverworldError UNSUPPORTED_BY_MASTER or TOO_MANY if hashes are needed
 */
export async function readRemoteSide(
  files: RemoteFiles,
  folder: string,
  { ask, hashes, task }: ManifestOptions & { readonly ask: AskManifest },
): Promise<WalkedSide> {
  try {
    const entries = (await ask(folder, { hashes, task })).filter(({ path }) => !isHalfWritten(path));
    const isFile = ({ kind, path }: ManifestEntry) => kind === 'file' && canBeHere(path);
    return {
      files: new Map(
        entries
          .filter(isFile)
          .map(({ path, bytes, modifiedAt, hash }) => [path, { bytes, modifiedAt, hash }]),
      ),
      others: entries
        .filter((entry) => entry.kind === 'link' || !canBeHere(entry.path))
        .map(({ path }) => path),
    };
  } catch (error) {
    if (hashes || !isRefused(error)) throw error;
    return toSide(await walkRemote(files, folder));
  }
}

/**
 * Adds hashes to those files of `side` that have the same size as on the master. Files with different sizes differ
 * anyway.
 *
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
export async function hashLocalSide(
  folder: string,
  side: Map<string, SideFile>,
  remote: ReadonlyMap<string, SideFile>,
): Promise<void> {
  const candidates = [...side].filter(([path, file]) => remote.get(path)?.bytes === file.bytes);
  await forEachLimited(candidates, HASHES_AT_A_TIME, async ([path, file]) => {
    side.set(path, { ...file, hash: await hashLocalFile(join(folder, ...path.split('/'))) });
  });
}

/**
 * Returns a function that fetches the hashes of all files below a folder of the master. A move uses the hashes to
 * compare its copy with the source. The function returns null if the master is too old or the folder has too many
 * files.
 */
export function toHashesOf(ask: AskManifest): Sources['hashesOf'] {
  return async (folder) => {
    try {
      return new Map((await ask(folder, { hashes: true })).map(({ path, hash }) => [path, hash]));
    } catch (error) {
      if (isRefused(error)) return null;
      throw error;
    }
  };
}

/**
 * Returns whether the error means that the master is too old for the list, or that the folder is too large for it.
 */
function isRefused(error: unknown): boolean {
  return hasCode(error, 'UNSUPPORTED_BY_MASTER') || hasCode(error, 'TOO_MANY');
}

function toSide({ files, skipped }: Tree): WalkedSide {
  return {
    files: new Map(
      files.map(({ path, bytes, modifiedAt }) => [path.join('/'), { bytes, modifiedAt, hash: null }]),
    ),
    others: skipped,
  };
}

function isHalfWritten(path: string): boolean {
  return isPartName(path.slice(path.lastIndexOf('/') + 1));
}

/** Returns whether this computer's system allows the name. Other files are not synchronised. */
function canBeHere(path: string): boolean {
  return path.split('/').every((name) => isLocalName(name, process.platform));
}
