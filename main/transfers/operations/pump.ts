/**
 * Bytes per request and requests in flight. 32 KiB is what every server takes (draft-ietf-secsh-filexfer-02,
 * section 3); 64 of them are OpenSSH's own default (`sftp -R`) and fill a line of 100 ms at 20 MB/s.
 */
const CHUNK_BYTES = 32_768;
const IN_FLIGHT = 64;

/** A side that bytes are read from. Fills the buffer; fewer bytes only at the end. */
export interface Source {
  readAt(buffer: Buffer, position: number): Promise<number>;
}

/** A side that bytes are written to. */
export interface Sink {
  writeAt(buffer: Buffer, position: number): Promise<void>;
}

interface PumpOptions {
  readonly bytes: number;
  readonly signal: AbortSignal;
  /** After each piece, with its bytes. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Copies bytes with many requests in flight, so that the line's delay is paid once, not per piece. Resolves, or
 * rejects with the first error, only when no request is under way any more: the caller may close both sides then.
 *
 * @returns bytes copied; fewer than asked for when the source has ended early
 */
export async function pump(source: Source, sink: Sink, options: PumpOptions): Promise<number> {
  const { bytes, signal, onProgress } = options;
  let next = 0;
  let copied = 0;
  let end = bytes;
  let failure: { readonly error: unknown } | null = null;
  const carry = async () => {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes));
    while (failure === null && next < end) {
      signal.throwIfAborted();
      const position = next;
      const piece = buffer.subarray(0, Math.min(CHUNK_BYTES, end - position));
      next += piece.length;
      const read = await source.readAt(piece, position);
      if (read < piece.length) end = Math.min(end, position + read);
      if (read === 0) continue;
      await sink.writeAt(piece.subarray(0, read), position);
      copied += read;
      onProgress(read);
    }
  };
  const carriers = Math.min(IN_FLIGHT, Math.ceil(bytes / CHUNK_BYTES));
  await Promise.all(
    Array.from({ length: carriers }, () =>
      carry().catch((error: unknown) => {
        failure ??= { error };
      }),
    ),
  );
  const first = failure as { readonly error: unknown } | null;
  if (first !== null) throw first.error;
  return copied;
}
