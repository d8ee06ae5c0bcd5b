import { join } from 'node:path';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ManifestEntry } from '#shared/model/files.ts';
import { hashHere } from '../local/hash-here.ts';
import { eachOf } from '../transfers/operations/each-of.ts';
import type { Sources } from '../transfers/operations/move-source.ts';
import { isLocalName, isPartName } from '../transfers/remote/names.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import { walkLocal, walkRemote, type Tree } from '../transfers/operations/tree.ts';
import type { WalkedSide } from './comparable.ts';
import type { SideFile } from './verdict.ts';

/** Files that are read at a time on this computer. */
const HASHES_AT_A_TIME = 4;

/** Asks the master for all that lies below a folder. @throws OverworldError METHOD_UNKNOWN on an older master, TOO_MANY */
export type AskManifest = (folder: string, options: ManifestOptions) => Promise<ManifestEntry[]>;

/** `task`: the window's id of this piece of work, under which its progress is told and it can be cancelled. */
interface ManifestOptions {
  readonly hashes: boolean;
  readonly task?: string | undefined;
}

/** What is below a folder of this computer; half-written files are not content. */
export async function readLocalSide(folder: string): Promise<WalkedSide> {
  const side = toSide(await walkLocal(folder));
  for (const path of side.files.keys()) if (isHalfWritten(path)) side.files.delete(path);
  return side;
}

/** What is below a folder of the master. Without hashes an older master, or a very large folder, is walked through. */
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
    const refused = hasCode(error, 'METHOD_UNKNOWN') || hasCode(error, 'TOO_MANY');
    if (hashes || !refused) throw error;
    return toSide(await walkRemote(files, folder));
  }
}

/** Adds hashes to those files here that could be the same as there: other sizes are other contents anyway. */
export async function hashLocalSide(
  folder: string,
  side: Map<string, SideFile>,
  remote: ReadonlyMap<string, SideFile>,
): Promise<void> {
  const candidates = [...side].filter(([path, file]) => remote.get(path)?.bytes === file.bytes);
  await eachOf(candidates, HASHES_AT_A_TIME, async ([path, file]) => {
    side.set(path, { ...file, hash: await hashHere(join(folder, ...path.split('/'))) });
  });
}

/**
 * The hashes of all files below a folder of the master, as a move compares them. Null where they cannot be had: from an
 * older master, or of more files than one message holds.
 */
export function toHashesOf(ask: AskManifest): Sources['hashesOf'] {
  return async (folder) => {
    try {
      return new Map((await ask(folder, { hashes: true })).map(({ path, hash }) => [path, hash]));
    } catch (error) {
      if (hasCode(error, 'METHOD_UNKNOWN') || hasCode(error, 'TOO_MANY')) return null;
      throw error;
    }
  };
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

/** Names that this computer's system cannot have are not synchronised. */
function canBeHere(path: string): boolean {
  return path.split('/').every((name) => isLocalName(name, process.platform));
}
