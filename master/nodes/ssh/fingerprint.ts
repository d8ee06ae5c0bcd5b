import { createHash } from 'node:crypto';

/**
 * Returns OpenSSH's fingerprint of a public key: `SHA256:` and the digest in base64 without padding.
 *
 * @param blob the key in wire format (RFC 4253 6.6)
 */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
