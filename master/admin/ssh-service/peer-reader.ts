import type { Duplex } from 'node:stream';
import { AbstractMessageReader, Message, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';
import { MessageFraming } from '#shared/node/message-framing.ts';

export interface PeerLimits {
  /** Maximum size of an answer (bytes). */
  readonly maxAnswerBytes: number;
  /** Maximum size of a request or notification (bytes). */
  readonly maxRequestBytes: number;
  /** Maximum number of requests that are handled at the same time. */
  readonly maxInFlight: number;
}

/**
 * Reads the messages of the other process, framed by `Content-Length`. What exceeds the limits is an error, after which the
 * connection must be closed. So a process that was taken over cannot fill the memory of the other one.
 */
export class PeerReader extends AbstractMessageReader {
  readonly #stream: Duplex;
  readonly #limits: PeerLimits;
  readonly #framing: MessageFraming;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #inFlight = 0;

  constructor(stream: Duplex, limits: PeerLimits) {
    super();
    this.#stream = stream;
    this.#limits = limits;
    this.#framing = new MessageFraming(Math.max(limits.maxAnswerBytes, limits.maxRequestBytes));
  }

  override listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      try {
        this.#framing.add(chunk);
        for (let body = this.#framing.next(); body !== null; body = this.#framing.next())
          callback(this.#parse(body));
      } catch (error) {
        this.#stream.off('data', onData);
        this.fireError(error);
      }
    };
    const onClose = (): void => {
      this.fireClose();
    };
    this.#stream.on('data', onData).on('end', onClose).on('close', onClose);
    return {
      dispose: () => {
        this.#stream.off('data', onData).off('end', onClose).off('close', onClose);
      },
    };
  }

  /** Counts a request as handled. */
  handled(): void {
    this.#inFlight -= 1;
  }

  #parse(body: Buffer): Message {
    const message: unknown = JSON.parse(this.#decoder.decode(body));
    if (typeof message !== 'object' || message === null) throw new Error('a message that is not an object');
    const parsed = message as Message;
    const { maxRequestBytes, maxAnswerBytes, maxInFlight } = this.#limits;
    const limit = Message.isResponse(parsed) ? maxAnswerBytes : maxRequestBytes;
    if (body.length > limit) throw new Error(`a message of ${body.length} bytes (at most ${limit})`);
    if (Message.isRequest(parsed)) {
      this.#inFlight += 1;
      if (this.#inFlight > maxInFlight) throw new Error(`more than ${maxInFlight} requests at the same time`);
    }
    return parsed;
  }
}
