import type { Duplex } from 'node:stream';
import { AbstractMessageReader, Message, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';

/** Maximum size of the header block (bytes). Ours has one line of about 30; the rest leaves room for `Content-Type`. */
const MAX_HEADER_BYTES = 1024;

export interface ReaderLimits {
  /** Maximum size of a body (bytes). */
  readonly maxMessageBytes: number;
  /** Maximum number of unanswered requests. Reading pauses above it. */
  readonly maxInFlight: number;
}

/**
 * Reads requests framed by `Content-Length`, with limits that the library's reader lacks. Rejects sizes before it
 * buffers anything. If a client sends requests faster than they are answered, reading pauses (back-pressure through
 * the SSH window), so that neither bytes nor requests accumulate.
 *
 * Drops anything that is not a request: the contract has no notifications towards the master, and the master sends
 * the client no requests. Broken framing, broken JSON and a request id used twice at the same time are errors,
 * after which the connection must be closed.
 */
export class BoundedMessageReader extends AbstractMessageReader {
  readonly #stream: Duplex;
  readonly #limits: ReaderLimits;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #inFlight = new Set<number | string>();
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Length of the body that is being received. Undefined while a header is read. */
  #bodyBytes: number | undefined;
  #callback: DataCallback | undefined;
  #failed = false;

  constructor(stream: Duplex, limits: ReaderLimits) {
    super();
    this.#stream = stream;
    this.#limits = limits;
  }

  override listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const onData = (chunk: Buffer): void => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      this.#drain();
    };
    const onError = (error: Error): void => {
      this.fireError(error);
    };
    const onClose = (): void => {
      this.fireClose();
    };
    this.#stream.on('data', onData).on('error', onError).on('end', onClose).on('close', onClose);
    return {
      dispose: () => {
        this.#callback = undefined;
        this.#stream.off('data', onData).off('error', onError).off('end', onClose).off('close', onClose);
      },
    };
  }

  /** Must be called when a request was answered. Resumes reading if it was paused. */
  answered(id: number | string): void {
    if (!this.#inFlight.delete(id) || !this.#stream.isPaused()) return;
    this.#drain();
    if (this.#inFlight.size < this.#limits.maxInFlight && !this.#failed) this.#stream.resume();
  }

  #drain(): void {
    try {
      while (this.#callback !== undefined && !this.#failed) {
        if (this.#inFlight.size >= this.#limits.maxInFlight) {
          this.#stream.pause();
          return;
        }
        this.#bodyBytes ??= this.#takeHeader();
        if (this.#bodyBytes === undefined || this.#bytes < this.#bodyBytes) return;
        const body = this.#take(this.#bodyBytes);
        this.#bodyBytes = undefined;
        this.#deliver(body);
      }
    } catch (error) {
      this.#failed = true;
      this.#chunks = [];
      this.#bytes = 0;
      this.#stream.pause();
      this.fireError(error);
    }
  }

  #deliver(body: Buffer): void {
    const message: unknown = JSON.parse(this.#decoder.decode(body));
    if (typeof message !== 'object' || message === null) throw new Error('a message that is not an object');
    if (!Message.isRequest(message as Message)) return;
    const { id } = message as { readonly id: number | string };
    if (this.#inFlight.has(id)) throw new Error('a request id that is still in use');
    this.#inFlight.add(id);
    this.#callback?.(message as Message);
  }

  /**
   * Reads a header.
   *
   * @returns the length of the body that follows, or undefined while the header is incomplete
   */
  #takeHeader(): number | undefined {
    const head = this.#take(this.#bytes);
    const end = head.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
    if (end < 0) {
      if (head.length >= MAX_HEADER_BYTES) throw new Error('a header without an end');
      this.#putBack(head);
      return undefined;
    }
    this.#putBack(head.subarray(end + 4));
    return contentLength(head.toString('latin1', 0, end), this.#limits.maxMessageBytes);
  }

  #take(bytes: number): Buffer {
    const [first] = this.#chunks;
    const all = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#putBack(all.subarray(bytes));
    return all.subarray(0, bytes);
  }

  #putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#chunks = [rest];
    this.#bytes = rest.length;
  }
}

/**
 * Reads the length from a header.
 *
 * @throws Error unless there is exactly one `Content-Length`, and it is at most `maximum`
 */
function contentLength(header: string, maximum: number): number {
  const values = header
    .split('\r\n')
    .map((line) => /^content-length: *(\d{1,10})$/i.exec(line)?.[1])
    .filter((value) => value !== undefined);
  const [value] = values;
  if (value === undefined || values.length > 1) throw new Error('a header without one Content-Length');
  const bytes = Number(value);
  if (bytes === 0 || bytes > maximum) throw new Error(`a message of ${bytes} bytes (at most ${maximum})`);
  return bytes;
}
