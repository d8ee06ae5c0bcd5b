import type { LocalPlace } from '#shared/ipc/contract.ts';
import { PLACES } from '../../stores/files/local-folder.svelte.ts';
import { crumbsOf, joinPath, nameOf, parentOf, type Crumb } from './paths.ts';

/** Location of an entry: this computer or the master. */
export type Side = 'local' | 'remote';

export const sideNames: Readonly<Record<Side, string>> = { local: 'This computer', remote: 'Master' };

/** Returns the other side: the master for this computer, and this computer for the master. */
export function otherSide(side: Side): Side {
  return side === 'local' ? 'remote' : 'local';
}

/** Joins a folder and a name with the separator of the side's system. */
export function joinOn(side: Side, folder: string, name: string): string {
  if (side === 'remote') return joinPath(folder, name);
  const separator = separatorOf(folder);
  return folder.endsWith(separator) ? `${folder}${name}` : `${folder}${separator}${name}`;
}

/** Returns the parent folder of a path. A path of this computer may have the separators of Windows. */
export function folderOn(side: Side, path: string): string {
  if (side === 'remote') return parentOf(path);
  const at = path.lastIndexOf(separatorOf(path));
  // The root of a file system keeps its separator: `/`, `C:\`.
  return /^([A-Za-z]:)?[/\\]?$/.test(path.slice(0, at)) ? path.slice(0, at + 1) : path.slice(0, at);
}

/** Returns the last part of a path. */
export function nameOn(side: Side, path: string): string {
  return side === 'remote' ? nameOf(path) : path.slice(path.lastIndexOf(separatorOf(path)) + 1);
}

/**
 * Returns the breadcrumbs of a folder. On this computer, they start with the list of places and the place that
 * contains the folder.
 */
export function crumbsOn(side: Side, folder: string, places: readonly LocalPlace[]): readonly Crumb[] {
  if (side === 'remote') return crumbsOf(folder);
  const top: Crumb = { label: 'Places', path: PLACES };
  if (folder === PLACES) return [top];
  const place = placeOf(folder, places);
  const start = place?.path ?? '';
  const separator = separatorOf(folder);
  const parts = folder
    .slice(start.length)
    .split(separator)
    .filter((part) => part !== '');
  const root = place === undefined ? [] : [{ label: place.name, path: start }];
  let path = start;
  const below = parts.map((label) => {
    path = place === undefined && path === '' ? firstPath(folder, label) : joinOn('local', path, label);
    return { label, path };
  });
  return [top, ...root, ...below];
}

/** Returns the innermost place that contains a folder of this computer. Undefined if no place contains it. */
export function placeOf(folder: string, places: readonly LocalPlace[]): LocalPlace | undefined {
  return places
    .filter(({ path }) => folder === path || folder.startsWith(joinOn('local', path, '')))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** Returns whether a path equals the given folder, or lies inside it. */
export function liesIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(joinOn('local', folder, ''));
}

function firstPath(folder: string, label: string): string {
  return folder.startsWith('/') ? `/${label}` : label;
}

function separatorOf(path: string): '/' | '\\' {
  return path.includes('\\') && !path.startsWith('/') ? '\\' : '/';
}
