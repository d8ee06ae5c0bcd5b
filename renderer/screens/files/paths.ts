import { visibleName } from '#shared/text/visible-name.ts';

/** Roots of the master's file area. */
export const TEMPLATES = '/templates';
export const SHARED_FILES = '/files';

/** A step of the way to a folder, for breadcrumbs. */
export interface Crumb {
  readonly label: string;
  readonly path: string;
}

/** One clean absolute path: no double slashes, no `.`, `..` resolved without leaving the root, no slash at the end. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

export function parentOf(path: string): string {
  return normalize(`${path}/..`);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The way from the root to a folder; the root is called "Files". */
export function crumbsOf(folder: string): readonly Crumb[] {
  const parts = normalize(folder)
    .split('/')
    .filter((part) => part !== '');
  return [
    { label: 'Files', path: '/' },
    ...parts.map((name, i) => ({ label: visibleName(name), path: `/${parts.slice(0, i + 1).join('/')}` })),
  ];
}

/** The template whose folder this is or lies in; null outside of templates. */
export function templateOf(path: string): string | null {
  const match = /^\/templates\/([^/]+)/.exec(normalize(path));
  return match?.[1] ?? null;
}

/** True for the folder of a template itself, where `server.jar` belongs. */
export function isTemplateRoot(path: string): boolean {
  return /^\/templates\/[^/]+$/.test(normalize(path));
}

/** Folders that belong to the master's order: they can be neither renamed, deleted nor written into from here. */
export function isFixed(path: string): boolean {
  const clean = normalize(path);
  return clean === '/' || clean === TEMPLATES || clean === SHARED_FILES || isTemplateRoot(clean);
}

/** True where files may be put: inside a template or the shared files. */
export function isWritable(folder: string): boolean {
  const clean = normalize(folder);
  return clean !== '/' && clean !== TEMPLATES;
}

/** What is wrong with a name for a file or folder; undefined when it can be used. */
export function fileNameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name.trim() === '') return 'A name is needed.';
  if (name === '.' || name === '..') return `"${name}" has a meaning of its own; choose another name.`;
  if (/[/\0]/.test(name)) return 'A name cannot hold a slash.';
  if (new TextEncoder().encode(name).length > 255) return 'This name is too long (255 bytes at most).';
  if (taken.includes(name)) return `"${name}" exists already in this folder.`;
  return undefined;
}
