import { OverworldError } from '#shared/errors/overworld-error.ts';
export { freeName } from '#shared/free-name.ts';

/** Maximum length of a file name on common file systems (bytes). */
const MAX_NAME_BYTES = 255;

/** Names that Windows reserves for devices, alone or with any extension. */
const WINDOWS_DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;
// eslint-disable-next-line no-control-regex -- exactly the characters that Windows forbids
const WINDOWS_FORBIDDEN = /[<>:"|?*\u0000-\u001f]|[. ]$/;

/** Prefix of the temporary name of a file in transfer. */
const PART_PREFIX = '.overworld-';
const PART_SUFFIX = '.part';

/**
 * Returns the name of a partial file in the folder of its destination.
 *
 * @param random letters and digits
 */
export function partName(random: string): string {
  return `${PART_PREFIX}${random}${PART_SUFFIX}`;
}

/** Returns whether a name has the form of {@link partName}. A file with such a name is a transfer's partial file. */
export function isPartName(name: string): boolean {
  return name.startsWith(PART_PREFIX) && name.endsWith(PART_SUFFIX);
}

/**
 * Returns whether a name denotes an entry of a folder, and not the folder itself or a path to another folder.
 *
 * Example: `server.jar` → true, `..` and `a/b` → false.
 */
export function isPlainName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return !name.includes('/') && !name.includes('\0') && Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

/**
 * Returns whether this computer allows a file name that the master chose. A name that leads to another folder is
 * never allowed.
 */
export function isLocalName(name: string, platform: NodeJS.Platform): boolean {
  if (!isPlainName(name)) return false;
  if (platform !== 'win32') return true;
  return !name.includes('\\') && !WINDOWS_FORBIDDEN.test(name) && !WINDOWS_DEVICES.test(name);
}

/**
 * Returns the name if it is plain.
 *
 * @throws OverworldError FILE_NAME_INVALID
 */
export function requirePlainName(name: string): string {
  if (!isPlainName(name)) throw new OverworldError('FILE_NAME_INVALID', { name });
  return name;
}
