import { fingerprintOf } from '#shared/node/fingerprint.ts';

/** Public host key of a server. */
export interface HostKey {
  /** Type in its wire form, such as `ssh-ed25519`. */
  readonly type: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

/**
 * Signature algorithms by the key type that they use, in the order in which they are offered to a server that is not
 * known: the window shows people how to print the fingerprint of the ed25519 key. SHA-1 (`ssh-rsa`) is missing.
 */
const algorithms = [
  ['ssh-ed25519', ['ssh-ed25519']],
  ['ecdsa-sha2-nistp256', ['ecdsa-sha2-nistp256']],
  ['ecdsa-sha2-nistp384', ['ecdsa-sha2-nistp384']],
  ['ecdsa-sha2-nistp521', ['ecdsa-sha2-nistp521']],
  ['ssh-rsa', ['rsa-sha2-512', 'rsa-sha2-256']],
] as const;

type HostKeyAlgorithm = (typeof algorithms)[number][1][number];

/**
 * Reads a host key from its wire form (RFC 4253 6.6).
 *
 * @throws RangeError if the blob is too short
 */
export function readHostKey(blob: Buffer): HostKey {
  return { type: blob.toString('latin1', 4, 4 + blob.readUInt32BE(0)), fingerprint: fingerprintOf(blob) };
}

/**
 * Returns the host key algorithms to offer. A server has several keys and shows the one of the first algorithm that it
 * supports, so those of the known keys come first. Otherwise a known server would look like an unknown one.
 */
export function offeredAlgorithms(known: readonly HostKey[]): HostKeyAlgorithm[] {
  const types = new Set(known.map(({ type }) => type));
  const first = algorithms.filter(([type]) => types.has(type));
  const rest = algorithms.filter(([type]) => !types.has(type));
  return [...first, ...rest].flatMap(([, names]) => [...names]);
}

/** Returns whether a key is one of the given keys. */
export function isOneOf(keys: readonly HostKey[], key: HostKey): boolean {
  return keys.some(({ fingerprint }) => fingerprint === key.fingerprint);
}
