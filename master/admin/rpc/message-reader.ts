import type { Duplex } from 'node:stream';
import { AbstractMessageReader, Message, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';
import { MessageFraming } from '#shared/node/message-framing.ts';

export interface ReaderLimits {
  /** Maximum size of a message without its header (bytes). */
  readonly maxMessageBytes: number;
  /** Maximum number of unanswered requests. Reading pauses while that many are unanswered. */
  readonly maxInFlight: number;
}

/**
 * Reads requests framed by `Content-Length`, with limits that the reader of `vscode-jsonrpc` does not have. A message
 * that is too large is rejected before any part of it is stored. If a client sends requests faster than they are
 * answered, reading pauses (back-pressure through the SSH flow control), so that neither bytes nor requests
 * accumulate.
 *
 * Messages that are not requests are dropped: the app sends no notifications to the master, and no responses, because
 * the master sends it no requests. Broken framing, broken JSON and a request id that is already in use are errors,
 * after which the connection must be closed.
 */
export class BoundedMessageReader extends AbstractMessageReader {
  readonly #stream: Duplex;
  readonly #limits: ReaderLimits;
  readonly #framing: MessageFraming;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #inFlight = new Set<number | string>();
  #callback: DataCallback | undefined;
  #failed = false;

  constructor(stream: Duplex, limits: ReaderLimits) {
    super();
    this.#stream = stream;
    this.#limits = limits;
    this.#framing = new MessageFraming(limits.maxMessageBytes);
  }

  override listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const onData = (chunk: Buffer): void => {
      this.#framing.add(chunk);
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

  /** Counts a request as answered. Must be called for each response. Resumes reading if it was paused. */
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
        const body = this.#framing.next();
        if (body === null) return;
        this.#deliver(body);
      }
    } catch (error) {
      this.#failed = true;
      this.#framing.clear();
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
}
