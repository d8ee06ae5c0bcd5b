import { createHash } from 'node:crypto';
import type { DefaultFileReader } from '#master/templates/default-file-facts.ts';
import { DefaultFileProblem, listDefaultFiles } from '#master/templates/default-files.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';
import type { ServiceSpec } from '../runtime.ts';

/** One file of a service; one whose path ends in `/` is an empty folder. */
export interface LayoutFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** sha256, hex; empty for a folder. */
  readonly hash: string;
  /** Where its content lies on the master. */
  readonly source: string;
}

/** All files that services of one revision with one set of default files get; equal layouts have equal ids. */
export interface Layout {
  /** 32 hex digits of the sha256 of what it holds. */
  readonly id: string;
  /** Sorted by path; without `server.properties`, which each service gets its own of. */
  readonly files: readonly LayoutFile[];
  /** Where the text of `server.properties` lies that people wrote; null where there is none. */
  readonly properties: LayoutFile | null;
}

const PROPERTIES = 'server.properties';

/**
 * Puts together what services get: the files of a revision, and the default service files over them, in their order.
 *
 * @throws DefaultFileProblem when the default files cannot be used
 */
export async function readLayout(
  spec: Pick<ServiceSpec, 'defaultServiceFiles'>,
  lease: RevisionLease,
  shared: { readonly folder: string; readonly reader: DefaultFileReader },
): Promise<Layout> {
  const files = new Map<string, LayoutFile>();
  for (const { path, size, mode, hash } of lease.entries) {
    files.set(path, { path, size, mode, hash, source: lease.pathOf(path) });
  }
  const folders = foldersOf(files.keys());
  for (const { path, source } of await listDefaultFiles(spec.defaultServiceFiles, shared.folder)) {
    const isFolder = path.endsWith('/');
    const plain = isFolder ? path.slice(0, -1) : path;
    requireRoom(plain, isFolder, { files, folders });
    for (const folder of foldersOf([path])) folders.add(folder);
    if (isFolder) files.set(path, { path, size: 0, mode: 0o700, hash: '', source });
    else files.set(path, { path, source, ...(await shared.reader.read(source)) });
  }
  const properties = files.get(PROPERTIES) ?? null;
  files.delete(PROPERTIES);
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { id: idOf(sorted), files: sorted, properties };
}

/** Where on the master the content of a service's file lies; null for one that it does not get. */
export function sourceOf({ files, properties }: Layout, path: string): string | null {
  if (path === PROPERTIES) return properties?.source ?? null;
  return files.find((file) => file.path === path)?.source ?? null;
}

/** A file cannot go where a folder is, nor below a file. */
function requireRoom(
  path: string,
  isFolder: boolean,
  {
    files,
    folders,
  }: { readonly files: ReadonlyMap<string, LayoutFile>; readonly folders: ReadonlySet<string> },
): void {
  if (!isFolder && (folders.has(path) || files.has(`${path}/`))) {
    throw new DefaultFileProblem('unusable', `a default service file cannot replace the folder "${path}"`);
  }
  const above = [...foldersOf([`${path}/`])].filter((folder) => isFolder || folder !== path);
  const blocked = above.find((folder) => files.has(folder));
  if (blocked !== undefined) {
    throw new DefaultFileProblem(
      'unusable',
      `a default service file cannot go into "${blocked}", which is no folder`,
    );
  }
}

/** All folders that paths lie in, those named by a path that ends in `/` among them. */
function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

function idOf(files: readonly LayoutFile[]): string {
  const hash = createHash('sha256');
  for (const { path, size, mode, hash: content } of files) {
    hash.update(JSON.stringify([path, size, mode, content]));
  }
  return hash.digest('hex').slice(0, 32);
}
