const REMOVED = 'removed-by-overworld';

/** Hides a secret in files. Sizes in bytes. */
export interface SecretFilter {
  readonly length: number;
  /**
   * Replaces the secret in a file, or in a part of a file, by a text of the same length, because clients compare the
   * size of a copy with that of the file.
   *
   * Example: a secret of 24 characters becomes `removed-by-overworld----`.
   */
  hide(content: Buffer): Buffer;
  /** Returns whether the secret may begin before this part of a file. */
  mayBeginBefore(content: Buffer): boolean;
  /** Returns whether the secret may end behind this part of a file. */
  mayEndBehind(content: Buffer): boolean;
}

/**
 * Returns a filter for a secret of ASCII characters. The master writes the network's forwarding secret into the
 * configuration of services, and writes it again when a service starts, so copies do not need it.
 */
export function secretFilter(secret: string): SecretFilter {
  const bytes = Buffer.from(secret, 'latin1');
  const removed = REMOVED.slice(0, secret.length).padEnd(secret.length, '-');
  return {
    length: bytes.length,
    hide: (content) => {
      if (!content.includes(bytes)) return content;
      // Preserves every byte, whatever the encoding of the file is.
      return Buffer.from(content.toString('latin1').replaceAll(secret, removed), 'latin1');
    },
    mayBeginBefore: (content) => bytes.includes(content) || overlap(bytes, content),
    mayEndBehind: (content) => bytes.includes(content) || overlap(content, bytes),
  };
}

/** Returns whether an end of the first content is a beginning of the second one. */
function overlap(first: Buffer, second: Buffer): boolean {
  for (let length = Math.min(first.length, second.length); length > 0; length -= 1)
    if (first.subarray(-length).equals(second.subarray(0, length))) return true;
  return false;
}
