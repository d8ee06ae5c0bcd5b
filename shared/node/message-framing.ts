/**
 * Maximum length of a header block (bytes). `Content-Length` takes about 30 bytes; the rest is room for
 * `Content-Type`.
 */
const MAX_HEADER_BYTES = 1024;

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * Splits a byte stream into messages framed by `Content-Length`, as JSON-RPC uses them over streams. Checks a
 * message's length before it buffers the message, so that a broken peer cannot fill the memory.
 */
export class MessageFraming {
  readonly #maxMessageBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Length of the body that is being received. Null while a header is being received. */
  #bodyBytes: number | null = null;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Adds received bytes. {@link next} then returns the messages in them. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /**
   * Returns the body of the next message, or null while the message is incomplete.
   *
   * @throws Error if the rest of the stream cannot be parsed: a header is too long or does not have exactly one
   *   `Content-Length`, or a message is empty or too long
   */
  next(): Buffer | null {
    this.#bodyBytes ??= this.#takeHeader();
    if (this.#bodyBytes === null || this.#bytes < this.#bodyBytes) return null;
    const body = this.#take(this.#bodyBytes);
    this.#bodyBytes = null;
    return body;
  }

  /** Drops everything that is buffered. */
  clear(): void {
    this.#keep(Buffer.alloc(0));
  }

  #takeHeader(): number | null {
    const all = this.#joined();
    const end = all.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END);
    if (end < 0) {
      if (all.length >= MAX_HEADER_BYTES)
        throw new Error('a message does not begin with a complete Content-Length header');
      return null;
    }
    this.#keep(all.subarray(end + HEADER_END.length));
    return contentLength(all.toString('latin1', 0, end), this.#maxMessageBytes);
  }

  #take(bytes: number): Buffer {
    const all = this.#joined();
    this.#keep(all.subarray(bytes));
    return all.subarray(0, bytes);
  }

  /**
   * Returns the buffered chunks as one buffer. Called only when a header or a whole body is buffered, so that a long
   * body is copied only once.
   */
  #joined(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const all = Buffer.concat(this.#chunks, this.#bytes);
    this.#keep(all);
    return all;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}

/**
 * Returns the length of a message's body from its header (bytes).
 *
 * @throws Error unless there is exactly one `Content-Length`, larger than 0 and within the limit
 */
function contentLength(header: string, maximum: number): number {
  const [value, ...others] = header
    .split('\r\n')
    .map((line) => /^content-length: *(\d{1,10})$/i.exec(line)?.[1])
    .filter((found) => found !== undefined);
  if (value === undefined || others.length > 0) {
    throw new Error('a message header does not have exactly one Content-Length');
  }
  const bytes = Number(value);
  if (bytes === 0 || bytes > maximum) {
    throw new Error(`a message of ${bytes} bytes was announced (at most ${maximum})`);
  }
  return bytes;
}
