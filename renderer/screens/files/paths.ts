import { EARLIER_SAVES, viewOf, type FileViewName } from '#shared/model/file-views.ts';
import { volumeIdSchema, type VolumeId } from '#shared/model/volume.ts';
import { normalize } from '#shared/text/remote-path.ts';
import { visibleName } from '#shared/text/visible-name.ts';

/** Roots of the master's file area. */
export const TEMPLATES = '/templates';
export const SHARED_FILES = '/files';
/**
 * Root folders of the views, which are shown beside the file area: the folders of running services, and the saves of
 * volumes.
 */
export const SERVICES = '/services';
export const VOLUMES = '/volumes';

/** A part of the path to a folder, for breadcrumbs. */
export interface Crumb {
  readonly label: string;
  readonly path: string;
}

/** Joins a clean folder path on the master and a name. */
export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** Returns the clean path of the parent folder of a path on the master; `/` for the root. */
export function parentOf(path: string): string {
  return normalize(`${path}/..`);
}

/** Returns the part of a path on the master after the last slash. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the path from the root to a folder. The root is called "Files". */
export function crumbsOf(folder: string): readonly Crumb[] {
  const parts = normalize(folder)
    .split('/')
    .filter((part) => part !== '');
  return [
    { label: 'Files', path: '/' },
    ...parts.map((name, i) => ({ label: visibleName(name), path: `/${parts.slice(0, i + 1).join('/')}` })),
  ];
}

/** Returns the id of the template to whose folder a path belongs. Null if the path belongs to no template. */
export function templateOf(path: string): string | null {
  const match = /^\/templates\/([^/]+)/.exec(normalize(path));
  return match?.[1] ?? null;
}

/** Returns whether the folder is the root folder of a template, where `server.jar` belongs. */
export function isTemplateRoot(path: string): boolean {
  return /^\/templates\/[^/]+$/.test(normalize(path));
}

/**
 * Returns whether a folder cannot be renamed or deleted on the Files screen, because it belongs to the master's fixed
 * structure: a root, or the root folder of a template.
 */
export function isFixed(path: string): boolean {
  const clean = normalize(path);
  return clean === '/' || clean === TEMPLATES || clean === SHARED_FILES || isTemplateRoot(clean);
}

/**
 * Returns whether files may be added to a folder. The folder must be inside a template, the shared files or the last
 * save of a volume.
 */
export function isWritable(folder: string): boolean {
  const clean = normalize(folder);
  if (viewOf(clean) !== null) return volumeOf(clean) !== null;
  return clean !== '/' && clean !== TEMPLATES;
}

/**
 * Returns the id of the volume if a path belongs to the last save of a volume. Null for other paths, such as paths in
 * earlier saves.
 */
export function volumeOf(path: string): VolumeId | null {
  const [view, template, number, name] = normalize(path).split('/').slice(1);
  const id = volumeIdSchema.safeParse(`${template ?? ''}/${number ?? ''}`);
  return view === 'volumes' && id.success && name !== EARLIER_SAVES ? id.data : null;
}

/** Returns whether a folder is the root folder of a volume. */
export function isVolumeRoot(path: string): boolean {
  return volumeOf(path) !== null && normalize(path).split('/').length === 4;
}

/** Returns the view (running services, or volumes) to which a path belongs. Null if the path belongs to neither. */
export function viewAt(path: string): FileViewName | null {
  return viewOf(normalize(path));
}

/**
 * Returns the folder with the earlier saves of a volume. Null if the given path is not the root folder of a volume.
 */
export function earlierSavesOf(path: string): string | null {
  return isVolumeRoot(path) ? `${normalize(path)}/${EARLIER_SAVES}` : null;
}

/** Returns a message if the name of a file or folder cannot be used. Undefined if it can. */
export function fileNameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  if (name === '.' || name === '..') return `"${name}" is reserved. Choose another name.`;
  if (/[/\0]/.test(name)) return 'A name cannot contain a slash.';
  if (new TextEncoder().encode(name).length > 255) return 'This name is too long (255 bytes at most).';
  if (taken.includes(name)) return `"${name}" already exists in this folder.`;
  return undefined;
}
