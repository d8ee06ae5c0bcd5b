import type { Readable } from 'node:stream';
import { AbstractMessageReader, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';
import { z } from 'zod';
import { MAX_MESSAGE_BYTES } from '../rpc/contract.ts';
import { MessageFraming } from './message-framing.ts';

/** The field that every JSON-RPC message has. The receiver of a message checks the other fields. */
const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') });

/**
 * Reads messages framed by `Content-Length`, like the library's own reader. Unlike that reader, it rejects messages
 * longer than {@link MAX_MESSAGE_BYTES}, so that a broken master cannot fill the client's memory.
 */
export class ClientMessageReader extends AbstractMessageReader {
  readonly #stream: Readable;
  readonly #framing: MessageFraming;

  constructor(stream: Readable, maximum = MAX_MESSAGE_BYTES) {
    super();
    this.#stream = stream;
    this.#framing = new MessageFraming(maximum);
  }

  /** Passes each message to the callback. After a message that cannot be read, emits an error and closes. */
  override listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer) => {
      this.#framing.add(chunk);
      try {
        for (let body = this.#framing.next(); body !== null; body = this.#framing.next()) {
          // The library then distinguishes requests, responses and notifications.
          callback(messageSchema.parse(JSON.parse(body.toString('utf8'))));
        }
      } catch (error) {
        this.#stream.off('data', onData);
        this.#framing.clear();
        this.fireError(error);
        this.fireClose();
      }
    };
    this.#stream.on('data', onData);
    this.#stream.on('error', (error) => this.fireError(error));
    this.#stream.once('close', () => this.fireClose());
    return { dispose: () => this.#stream.off('data', onData) };
  }
}
