/**
 * Reads the body of an HTTP response as text.
 *
 * @param maxBytes maximum number of bytes to keep in memory
 * @returns null if the body is larger; the rest is then not read
 * @throws errors of the connection
 */
export async function readLimited({ body }: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Node's type of a body does not say which type its chunks have.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
