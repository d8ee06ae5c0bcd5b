const REMOVED = 'removed-by-overworld';

/** Hides one secret in the contents of files. Sizes in bytes. */
export interface SecretFilter {
  readonly length: number;
  /**
   * Replaces the secret in a file, or in a part of a file, with a text of the same length. The length stays the same,
   * because clients compare the size of a copy with the size of the file.
   *
   * Example: a secret of 24 characters becomes `removed-by-overworld----`.
   */
  hide(content: Buffer): Buffer;
  /** Returns whether this part of a file may begin in the middle of a secret. */
  mayBeginBefore(content: Buffer): boolean;
  /** Returns whether this part of a file may end in the middle of a secret. */
  mayEndBehind(content: Buffer): boolean;
}

/**
 * Returns a filter for a secret of ASCII characters: the network's forwarding secret. Copies do not need this secret,
 * because the master writes it into the configuration of a service each time the service starts.
 */
export function secretFilter(secret: string): SecretFilter {
  const bytes = Buffer.from(secret, 'latin1');
  const removed = REMOVED.slice(0, secret.length).padEnd(secret.length, '-');
  return {
    length: bytes.length,
    hide: (content) => {
      if (!content.includes(bytes)) return content;
      // latin1 preserves every byte, whatever the encoding of the file is.
      return Buffer.from(content.toString('latin1').replaceAll(secret, removed), 'latin1');
    },
    mayBeginBefore: (content) => bytes.includes(content) || overlap(bytes, content),
    mayEndBehind: (content) => bytes.includes(content) || overlap(content, bytes),
  };
}

/** Returns whether the first content ends with bytes with which the second content begins. */
function overlap(first: Buffer, second: Buffer): boolean {
  for (let length = Math.min(first.length, second.length); length > 0; length -= 1)
    if (first.subarray(-length).equals(second.subarray(0, length))) return true;
  return false;
}
