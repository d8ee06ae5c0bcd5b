import { forbidden, Refusal } from './refusal.ts';
import { status } from './protocol.ts';

/**
 * Paths and names are *byte strings* in all of this folder: one character per byte (latin1). File names on Linux are
 * bytes, not text; so a name that is not UTF-8 can be listed, renamed and deleted like any other.
 * {@link toBytes} is for the operating system, {@link toText} for people.
 */
export type ByteString = string;

export function toBytes(path: ByteString): Buffer {
  return Buffer.from(path, 'latin1');
}

export function toText(path: ByteString): string {
  return toBytes(path).toString('utf8');
}

export function fromText(text: string): ByteString {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The folders that make up the virtual root. */
export const areas = ['templates', 'files'] as const;
export type Area = (typeof areas)[number];

/** A place as clients name it: the root, or a path of names below an area. No name is empty, `.` or `..`. */
export type VirtualPath =
  { readonly area: null } | { readonly area: Area; readonly names: readonly ByteString[] };

/** Longest path and name that are looked at, in bytes; Linux has the same limits. */
const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

/**
 * Resolves a path as a client sends it, by its text alone: relative ones from the root, `..` stops there.
 *
 * @throws Refusal for NUL bytes, overlong names, and first parts that are no area
 */
export function parsePath(path: ByteString): VirtualPath {
  if (path.includes('\0')) throw forbidden('A path cannot hold a NUL byte');
  if (path.length > MAX_PATH_BYTES) throw new Refusal(status.FAILURE, 'The name or path is too long');
  const parts: ByteString[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  if (parts.some((part) => part.length > MAX_NAME_BYTES)) {
    throw new Refusal(status.FAILURE, 'The name or path is too long');
  }
  // A backslash is a separator on Windows, where it could lead out of the folder.
  if (process.platform === 'win32' && parts.some((part) => /[\\:]/.test(part))) {
    throw forbidden('A name cannot hold a backslash or a colon');
  }
  const [first, ...names] = parts;
  if (first === undefined) return { area: null };
  const area = areas.find((name) => name === first);
  if (area === undefined) throw new Refusal(status.NO_SUCH_FILE, 'Here are only /templates and /files');
  return { area, names };
}

/** The canonical form, absolute, as REALPATH answers it. */
export function formatPath(path: VirtualPath): ByteString {
  return path.area === null ? '/' : ['', path.area, ...path.names].join('/');
}
