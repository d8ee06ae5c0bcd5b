import { createHash } from 'node:crypto';
import type { DefaultFileReader } from '#master/templates/default-files/default-file-facts.ts';
import { DefaultFileProblem, listDefaultFiles } from '#master/templates/default-files/default-files.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';
import { keptEntries, replacedByVolume } from '../persistent-paths.ts';
import { noFolder, requirePlain } from '#master/templates/default-files/write-over.ts';
import type { ProvidedFile, ServiceSpec } from '../runtime.ts';

/** A file of a service, or an empty folder if the path ends in `/`. */
export interface LayoutFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  /** sha256 in hex; empty for a folder. */
  readonly hash: string;
  /** Path of the content on the master, or the content itself. */
  readonly source: string | Buffer;
}

/**
 * The files that are the same for all services with the same revision and the same default service files. Equal
 * layouts have equal ids.
 */
export interface Layout {
  /** Id of the layout: the first 32 hex digits of the sha256 of its content. */
  readonly id: string;
  /** Files sorted by path. Excludes `server.properties`, because it differs for each service. */
  readonly files: readonly LayoutFile[];
  /** The file `server.properties` before Overworld writes its settings into it; null if there is none. */
  readonly properties: LayoutFile | null;
  /** The file `server.properties` without the volume; null if there is none. */
  readonly ownProperties: LayoutFile | null;
}

const PROPERTIES = 'server.properties';

/** Files that are placed on top of a revision's files. */
interface Over {
  /** Folder of the shared files, `<data>/files`. */
  readonly folder: string;
  readonly reader: DefaultFileReader;
  /**
   * Files added by the master. A file that only the service may read (mode 0600) is not part of the layout, and it
   * removes any other file at its path from the layout.
   */
  readonly given: readonly ProvidedFile[];
  /** The save of the service's volume. Absent or null if it has none. */
  readonly volume?: Pick<RevisionLease, 'entries' | 'pathOf'> | null;
}

/**
 * Returns the layout of a service: the files that its folder gets. These are, in this order, the files of a revision,
 * the default service files in their sequence, the volume, and the files added by the master. A later file replaces
 * an earlier one at the same path.
 *
 * @throws DefaultFileProblem if the default service files cannot be used, or a file is where a folder is needed
 */
export async function readLayout(
  spec: Pick<ServiceSpec, 'defaultServiceFiles' | 'persistentPaths'>,
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
  const volume = over.volume ?? null;
  const ownProperties = files.get(PROPERTIES) ?? null;
  if (volume !== null) addVolume(files, spec, volume);
  for (const file of over.given) addGiven(files, file);
  const properties = files.get(PROPERTIES) ?? null;
  files.delete(PROPERTIES);
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { id: idOf(sorted), files: sorted, properties, ownProperties };
}

/**
 * Returns the path at which the master stores a file of a layout. Null if the layout does not contain the file, or if
 * the master adds the file, because the content of such a file is only in memory.
 */
export function sourceOf({ files, properties }: Layout, path: string): string | null {
  const file = path === PROPERTIES ? properties : files.find((one) => one.path === path);
  return typeof file?.source === 'string' ? file.source : null;
}

/**
 * Verifies that files can be written to these paths once the layout is in place.
 *
 * @throws DefaultFileProblem if a folder is at the path, or the path is below a file
 */
export function requirePlaces({ files }: Layout, paths: readonly string[]): void {
  const known = new Set(files.map(({ path }) => path));
  const folders = foldersOf(known);
  for (const path of paths) {
    if (folders.has(path)) throw new DefaultFileProblem('unusable', `${path} is a folder`);
    for (const folder of foldersOf([path])) if (known.has(folder)) throw noFolder(folder, path);
  }
}

/**
 * Adds a save to the layout. At each persistent path for which the save has files, the template's files are removed
 * first. Any other file or folder that conflicts with a file of the save is removed too, because the kept files take
 * precedence.
 */
function addVolume(
  files: Map<string, LayoutFile>,
  { persistentPaths }: Pick<ServiceSpec, 'persistentPaths'>,
  { entries: saved, pathOf }: Pick<RevisionLease, 'entries' | 'pathOf'>,
): void {
  const entries = keptEntries(persistentPaths, saved);
  const isReplaced = replacedByVolume(persistentPaths, entries);
  const kept = new Set(entries.map(({ path }) => path));
  const folders = foldersOf(kept);
  for (const path of [...files.keys()]) {
    const isInTheWay = folders.has(path) || [...foldersOf([path])].some((folder) => kept.has(folder));
    if (isReplaced(path) || isInTheWay) files.delete(path);
  }
  for (const { path, size, mode, hash } of entries) {
    files.set(path, { path, size, mode, hash, source: pathOf(path) });
  }
}

/**
 * Adds a file to the layout. Replaces an existing file at its path, and removes a folder at its path with
 * everything in it.
 */
function addGiven(files: Map<string, LayoutFile>, { path, content, mode }: ProvidedFile): void {
  requirePlain(path);
  for (const folder of foldersOf([path])) if (files.has(folder)) throw noFolder(folder, path);
  for (const other of [...files.keys()]) {
    if (other === path || other.startsWith(`${path}/`)) files.delete(other);
  }
  if (mode === 0o600) return;
  const hash = createHash('sha256').update(content).digest('hex');
  files.set(path, { path, size: content.length, mode, hash, source: content });
}

/** Verifies that no file would replace a folder or be below another file. */
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
      `a default service file cannot go into "${blocked}", which is not a folder`,
    );
  }
}

/** Returns all parent folders of the paths. A path that ends in `/` is itself a folder. */
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
