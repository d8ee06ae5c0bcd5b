import { createHash } from 'node:crypto';

/**
 * Returns the fingerprint of a public key as `ssh-keygen -l` prints it: `SHA256:` and the digest in unpadded base64.
 *
 * @param blob the key's wire form (RFC 4253 6.6)
 */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
