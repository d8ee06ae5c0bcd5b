const REMOVED = 'removed-by-overworld';

/**
 * Returns a function that replaces a secret in the content of a file by a text of the same length, because clients compare the
 * size of a copy with that of the file. The master writes the network's forwarding secret into the configuration of services,
 * and writes it again when a service starts, so copies do not need it.
 *
 * Example: a secret of 24 characters becomes `removed-by-overworld----`.
 */
export function withoutSecret(secret: string): (content: Buffer) => Buffer {
  const removed = REMOVED.slice(0, secret.length).padEnd(secret.length, '-');
  return (content) => {
    if (!content.includes(secret)) return content;
    // Preserves every byte, whatever the encoding of the file is.
    return Buffer.from(content.toString('latin1').replaceAll(secret, removed), 'latin1');
  };
}
