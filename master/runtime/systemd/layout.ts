import { createHash } from 'node:crypto';
import type { DefaultFileReader } from '#master/templates/default-files/default-file-facts.ts';
import { DefaultFileProblem, listDefaultFiles } from '#master/templates/default-files/default-files.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';
import { noFolder, requirePlain } from '#master/templates/default-files/write-over.ts';
import type { GivenFile, ServiceSpec } from '../runtime.ts';

/** One file of a service; one whose path ends in `/` is an empty folder. */
export interface LayoutFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** sha256, hex; empty for a folder. */
  readonly hash: string;
  /** Where its content lies on the master; or the content itself. */
  readonly source: string | Buffer;
}

/** All files that services of one revision with one set of default files get, but for what is a single service's own; equal layouts have equal ids. */
export interface Layout {
  /** 32 hex digits of the sha256 of what it holds. */
  readonly id: string;
  /** Sorted by path; without `server.properties`, which each service gets its own of. */
  readonly files: readonly LayoutFile[];
  /** Where the text of `server.properties` lies that people wrote; null where there is none. */
  readonly properties: LayoutFile | null;
}

const PROPERTIES = 'server.properties';

/** What lies over the files of a revision. */
interface Over {
  /** `<data>/files` */
  readonly folder: string;
  readonly reader: DefaultFileReader;
  /** Added by the master. Those that are closed to others are no part of the layout, and nothing else is in their place. */
  readonly given: readonly GivenFile[];
}

/**
 * Puts together what services get: the files of a revision, the default service files over them, in their order, and last
 * what the master adds.
 *
 * @throws DefaultFileProblem when the default files cannot be used, or a file is where a folder must be
 */
export async function readLayout(
  spec: Pick<ServiceSpec, 'defaultServiceFiles'>,
  lease: RevisionLease,
  over: Over,
): Promise<Layout> {
  const files = new Map<string, LayoutFile>();
  for (const { path, size, mode, hash } of lease.entries) {
    files.set(path, { path, size, mode, hash, source: lease.pathOf(path) });
  }
  const folders = foldersOf(files.keys());
  for (const { path, source } of await listDefaultFiles(spec.defaultServiceFiles, over.folder)) {
    const isFolder = path.endsWith('/');
    const plain = isFolder ? path.slice(0, -1) : path;
    requireRoom(plain, isFolder, { files, folders });
    for (const folder of foldersOf([path])) folders.add(folder);
    if (isFolder) files.set(path, { path, size: 0, mode: 0o700, hash: '', source });
    else files.set(path, { path, source, ...(await over.reader.read(source)) });
  }
  for (const file of over.given) addGiven(files, file);
  const properties = files.get(PROPERTIES) ?? null;
  files.delete(PROPERTIES);
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { id: idOf(sorted), files: sorted, properties };
}

/** Where on the master the content of a service's file lies; null for one that it does not get. */
export function sourceOf({ files, properties }: Layout, path: string): string | null {
  const file = path === PROPERTIES ? properties : files.find((one) => one.path === path);
  return typeof file?.source === 'string' ? file.source : null;
}

/**
 * Makes sure that files can be written over a layout once it is laid out.
 *
 * @throws DefaultFileProblem when one would be where a folder is, or below a file
 */
export function requirePlaces({ files }: Layout, paths: readonly string[]): void {
  const known = new Set(files.map(({ path }) => path));
  const folders = foldersOf(known);
  for (const path of paths) {
    if (folders.has(path)) throw new DefaultFileProblem('unusable', `${path} is a folder`);
    for (const folder of foldersOf([path])) if (known.has(folder)) throw noFolder(folder, path);
  }
}

/** In place of whatever is there, also of a folder with all it holds. */
function addGiven(files: Map<string, LayoutFile>, { path, content, mode }: GivenFile): void {
  requirePlain(path);
  for (const folder of foldersOf([path])) if (files.has(folder)) throw noFolder(folder, path);
  for (const other of [...files.keys()]) {
    if (other === path || other.startsWith(`${path}/`)) files.delete(other);
  }
  if (mode === 0o600) return;
  const hash = createHash('sha256').update(content).digest('hex');
  files.set(path, { path, size: content.length, mode, hash, source: content });
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
