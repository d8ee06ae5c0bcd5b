import { OverworldError } from '#shared/errors/overworld-error.ts';
export { freeName } from '#shared/free-name.ts';

/** Longest file name that the usual file systems take, in bytes. */
const MAX_NAME_BYTES = 255;

/** Names that Windows keeps for devices, with any ending. */
const WINDOWS_DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;
// eslint-disable-next-line no-control-regex -- exactly the characters that Windows forbids
const WINDOWS_FORBIDDEN = /[<>:"|?*\u0000-\u001f]|[. ]$/;

/** Begins the temporary name of a file on its way. */
const PART_PREFIX = '.overworld-';
const PART_SUFFIX = '.part';

/** A name for a file on its way, in the folder where it will end up. @param random letters and digits */
export function partName(random: string): string {
  return `${PART_PREFIX}${random}${PART_SUFFIX}`;
}

/** True for a name that {@link partName} makes: such files are nobody's content. */
export function isPartName(name: string): boolean {
  return name.startsWith(PART_PREFIX) && name.endsWith(PART_SUFFIX);
}

/** True when the name means one entry of a folder, and neither the folder itself nor anything elsewhere. */
export function isPlainName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return !name.includes('/') && !name.includes('\0') && Buffer.byteLength(name) <= MAX_NAME_BYTES;
}

/** True when a file of this name, which the master chose, can be made on this computer without ending up elsewhere. */
export function isLocalName(name: string, platform: NodeJS.Platform): boolean {
  if (!isPlainName(name)) return false;
  if (platform !== 'win32') return true;
  return !name.includes('\\') && !WINDOWS_FORBIDDEN.test(name) && !WINDOWS_DEVICES.test(name);
}

/** @throws OverworldError FILE_NAME_INVALID */
export function requirePlainName(name: string): string {
  if (!isPlainName(name)) throw new OverworldError('FILE_NAME_INVALID', { name });
  return name;
}
