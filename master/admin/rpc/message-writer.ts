import type { Duplex } from 'node:stream';
import { AbstractMessageWriter, type Message, type MessageWriter } from 'vscode-jsonrpc/node';

export interface WriterLimits {
  /** Maximum size of a message without its header (bytes). */
  readonly maxMessageBytes: number;
  /**
   * Maximum number of bytes that are queued for a client that does not read. Above this limit, the connection must be
   * closed.
   */
  readonly maxQueuedBytes: number;
}

export interface WriterHooks {
  /** Called after a message was passed to the stream. */
  readonly onWritten: (message: Message) => void;
  /** Returns the message to send instead of one that is too large. */
  readonly onTooLarge: (message: Message, bytes: number) => Message;
}

/**
 * Writes messages framed by `Content-Length` without waiting for a slow reader. Messages that the client has not read
 * are queued up to a limit. Above this limit, `onError` is called and the connection must be closed.
 */
export class BoundedMessageWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #stream: Duplex;
  readonly #limits: WriterLimits;
  readonly #hooks: WriterHooks;

  constructor(stream: Duplex, limits: WriterLimits, hooks: WriterHooks) {
    super();
    this.#stream = stream;
    this.#limits = limits;
    this.#hooks = hooks;
    stream.once('close', () => {
      this.fireClose();
    });
  }

  write(message: Message): Promise<void> {
    if (!this.#stream.writable) return Promise.resolve();
    let text = JSON.stringify(message);
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#limits.maxMessageBytes) {
      text = JSON.stringify(this.#hooks.onTooLarge(message, bytes));
    }
    const packet = Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`, 'utf8');
    if (this.#stream.writableLength + packet.length > this.#limits.maxQueuedBytes) {
      this.fireError(
        new Error(`the client does not read: ${this.#stream.writableLength} bytes are waiting to be sent`),
        message,
      );
      return Promise.resolve();
    }
    this.#stream.write(packet);
    this.#hooks.onWritten(message);
    return Promise.resolve();
  }

  end(): void {
    this.#stream.end();
  }
}
