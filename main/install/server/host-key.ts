import { fingerprintOf } from '#shared/node/fingerprint.ts';

/** Public host key of a server. */
export interface HostKey {
  /** Key type as in the SSH protocol, such as `ssh-ed25519`. */
  readonly type: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

/**
 * Each key type with its signature algorithms. An unknown server is offered the types in this order. ed25519 comes
 * first, because the window shows people how to print the fingerprint of that key. The algorithm `ssh-rsa`, which
 * uses SHA-1, is not offered.
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
 * Parses a host key in the form of the SSH protocol (RFC 4253 6.6).
 *
 * @throws RangeError if the blob is too short
 */
export function readHostKey(blob: Buffer): HostKey {
  return { type: blob.toString('latin1', 4, 4 + blob.readUInt32BE(0)), fingerprint: fingerprintOf(blob) };
}

/**
 * Returns the host key algorithms to offer. A server with several keys shows the key for the first algorithm that it
 * supports. So the algorithms of the known keys come first; otherwise a known server would look like an unknown one.
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
