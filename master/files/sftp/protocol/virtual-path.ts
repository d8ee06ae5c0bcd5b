import { fileViews, type FileViewName } from '#shared/model/file-views.ts';
import { forbidden, Refusal } from './refusal.ts';
import { status } from './protocol.ts';

/**
 * Text with one character per byte (latin1), for paths and names in `master/files`. File names on Linux are bytes and
 * not text. With byte strings, a file whose name is not valid UTF-8 can be listed, renamed and deleted as well. Use
 * {@link toBytes} for system calls and {@link toText} for display.
 */
export type ByteString = string;

/** Returns the bytes of a path for system calls. */
export function toBytes(path: ByteString): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Returns a path as text for people and the API. Bytes that are not UTF-8 become U+FFFD. */
export function toText(path: ByteString): string {
  return toBytes(path).toString('utf8');
}

/** Converts a text to a byte string, encoded as UTF-8. */
export function fromText(text: string): ByteString {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * Folders in the root folder that exist on the master's disk. The root folder may also contain views (../views),
 * which do not exist on the disk.
 */
export const areas = ['templates', 'files'] as const;
export type Area = (typeof areas)[number];

/** A path below a view. */
export interface ViewPath {
  readonly area: FileViewName;
  readonly names: readonly ByteString[];
}

/** A path in the form that clients use: the root, or names below an area or a view. No name is empty, `.` or `..`. */
export type VirtualPath =
  { readonly area: null } | { readonly area: Area; readonly names: readonly ByteString[] } | ViewPath;

const roots: ReadonlyMap<string, Area | FileViewName> = new Map(
  [...areas, ...fileViews].map((name) => [name, name]),
);

/** Returns whether a path is the path of a view, or lies below a view. */
export function isInView(path: VirtualPath): path is ViewPath {
  return path.area === 'services' || path.area === 'volumes';
}

const NOTHING_ELSE = `Only ${[...roots.keys()].map((name) => `/${name}`).join(', ')} exist here`;

/** Maximum length of a path, and of a name (bytes). Linux has the same limits. */
export const MAX_PATH_BYTES = 4096;
export const MAX_NAME_BYTES = 255;

/**
 * Resolves a path that a client has sent. Does not access the disk. Relative paths start at the root folder, and `..`
 * does not leave it.
 *
 * Example: `parsePath('templates/lobby/../arena')` is `{ area: 'templates', names: ['arena'] }`.
 *
 * @throws Refusal for NUL bytes, for names that are too long, and if the first name is neither an area nor a view
 */
export function parsePath(path: ByteString): VirtualPath {
  if (path.includes('\0')) throw forbidden('A path cannot contain a NUL byte');
  if (path.length > MAX_PATH_BYTES) throw new Refusal(status.FAILURE, 'The name or path is too long');
  const parts: ByteString[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  if (parts.some((part) => part.length > MAX_NAME_BYTES)) {
    throw new Refusal(status.FAILURE, 'The name or path is too long');
  }
  // On Windows, a backslash separates names and a colon follows a drive, so a name with one of them could lead out of
  // the folder.
  if (process.platform === 'win32' && parts.some((part) => /[\\:]/.test(part))) {
    throw forbidden('A name cannot contain a backslash or a colon');
  }
  const [first, ...names] = parts;
  if (first === undefined) return { area: null };
  const area = roots.get(first);
  if (area === undefined) throw new Refusal(status.NO_SUCH_FILE, NOTHING_ELSE);
  return { area, names };
}

/** Formats a path as a canonical absolute path, as in the answer to REALPATH. */
export function formatPath(path: VirtualPath): ByteString {
  return path.area === null ? '/' : ['', path.area, ...path.names].join('/');
}
