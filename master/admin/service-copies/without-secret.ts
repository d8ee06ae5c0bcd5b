const REMOVED = 'removed-by-overworld';

/**
 * Returns a function that replaces a secret in the content of a file. The master writes the network's forwarding secret into
 * the configuration of services, and writes it again when a service starts, so copies do not need it.
 */
export function withoutSecret(secret: string): (content: Buffer) => Buffer {
  return (content) => {
    if (!content.includes(secret)) return content;
    // Preserves every byte, whatever the encoding of the file is.
    return Buffer.from(content.toString('latin1').replaceAll(secret, REMOVED), 'latin1');
  };
}
