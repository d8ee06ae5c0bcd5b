import type { Duplex } from 'node:stream';
import { AbstractMessageReader, Message, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';
import { MessageFraming } from '#shared/node/message-framing.ts';

export interface PeerLimits {
  /** Maximum size of an answer (bytes). */
  readonly maxAnswerBytes: number;
  /** Maximum size of a request or notification (bytes). */
  readonly maxRequestBytes: number;
  /** Maximum number of messages that are handled at the same time. Reading pauses when this number is reached. */
  readonly maxPending: number;
}

/**
 * Reads the messages of the other process, framed by `Content-Length`. A message counts as pending until it was
 * handled; a request counts until its answer was sent. Reading pauses while the number or the total size of pending
 * messages exceeds its limit. Thus an attacker who controls one process cannot fill the memory of the other one. A
 * message that is too large, or that is both a request and an answer, is an error, after which the connection must be
 * closed.
 */
export class PeerReader extends AbstractMessageReader {
  readonly #stream: Duplex;
  readonly #limits: PeerLimits;
  readonly #framing: MessageFraming;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** Sizes of the pending messages (bytes). */
  readonly #pending = new Map<Message, number>();
  #pendingBytes = 0;
  #callback: DataCallback | null = null;

  constructor(stream: Duplex, limits: PeerLimits) {
    super();
    this.#stream = stream;
    this.#limits = limits;
    this.#framing = new MessageFraming(Math.max(limits.maxAnswerBytes, limits.maxRequestBytes));
  }

  override listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const onData = (chunk: Buffer): void => {
      this.#framing.add(chunk);
      this.#deliver();
    };
    const onClose = (): void => {
      this.fireClose();
    };
    this.#stream.on('data', onData).on('end', onClose).on('close', onClose);
    return {
      dispose: () => {
        this.#callback = null;
        this.#stream.off('data', onData).off('end', onClose).off('close', onClose);
      },
    };
  }

  /** Counts a message as no longer pending. */
  handled(message: Message): void {
    this.#pendingBytes -= this.#pending.get(message) ?? 0;
    this.#pending.delete(message);
    this.#deliver();
  }

  /** Passes messages on until too many are pending. */
  #deliver(): void {
    try {
      while (this.#callback !== null && this.#mayDeliver()) {
        const body = this.#framing.next();
        if (body === null) break;
        const message = this.#parse(body);
        this.#pending.set(message, body.length);
        this.#pendingBytes += body.length;
        this.#callback(message);
      }
    } catch (error) {
      this.#callback = null;
      this.fireError(error);
    }
    if (this.#callback === null) return;
    if (!this.#mayDeliver()) this.#stream.pause();
    else if (this.#stream.isPaused()) this.#stream.resume();
  }

  #mayDeliver(): boolean {
    const { maxPending, maxAnswerBytes } = this.#limits;
    return this.#pending.size < maxPending && this.#pendingBytes < maxAnswerBytes;
  }

  #parse(body: Buffer): Message {
    const message: unknown = JSON.parse(this.#decoder.decode(body));
    if (typeof message !== 'object' || message === null) throw new Error('a message that is not an object');
    const parsed = message as Message;
    // The other process could send a request that is as large as an answer.
    if ('method' in message && ('result' in message || 'error' in message))
      throw new Error('a message that is both a request and an answer');
    const { maxRequestBytes, maxAnswerBytes } = this.#limits;
    const limit = Message.isResponse(parsed) ? maxAnswerBytes : maxRequestBytes;
    if (body.length > limit) throw new Error(`a message of ${body.length} bytes (at most ${limit})`);
    return parsed;
  }
}
