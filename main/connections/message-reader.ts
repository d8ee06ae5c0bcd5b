import type { Readable } from 'node:stream';
import { AbstractMessageReader, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';
import { z } from 'zod';
import { MAX_MESSAGE_BYTES } from '#shared/rpc/contract.ts';

/** Maximum size of a message's headers (bytes). The two headers of the framing fit. */
const MAX_HEADER_BYTES = 1024;
const HEADER_END = Buffer.from('\r\n\r\n');

/** Minimum form of a JSON-RPC message. The parts are checked where they are used. */
const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') });

/**
 * Reads messages framed by Content-Length, like the library's own reader. Rejects a message longer than {@link
 * MAX_MESSAGE_BYTES} before it stores a byte of it, so that a faulty master cannot fill the app's memory.
 */
export class BoundedMessageReader extends AbstractMessageReader {
  readonly #stream: Readable;
  readonly #maximum: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Number of body bytes to wait for. Null while a header is read. */
  #awaited: number | null = null;

  constructor(stream: Readable, maximum = MAX_MESSAGE_BYTES) {
    super();
    this.#stream = stream;
    this.#maximum = maximum;
  }

  override listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      try {
        this.#drain(callback);
      } catch (error) {
        this.#stream.off('data', onData);
        this.#chunks = [];
        this.fireError(error);
        this.fireClose();
      }
    };
    this.#stream.on('data', onData);
    this.#stream.on('error', (error) => this.fireError(error));
    this.#stream.once('close', () => this.fireClose());
    return { dispose: () => this.#stream.off('data', onData) };
  }

  #drain(callback: DataCallback): void {
    for (;;) {
      if (this.#awaited === null && !this.#readHeader()) return;
      if (this.#awaited === null || this.#size < this.#awaited) return;
      const all = this.#joined();
      const body = all.subarray(0, this.#awaited);
      this.#keep(all.subarray(this.#awaited));
      this.#awaited = null;
      // The library determines the kind of the message itself.
      callback(messageSchema.parse(JSON.parse(body.toString('utf8'))));
    }
  }

  #readHeader(): boolean {
    const all = this.#joined();
    const end = all.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END);
    if (end < 0) {
      if (all.length >= MAX_HEADER_BYTES) throw new Error('a message began without its Content-Length');
      return false;
    }
    const length = /^content-length: *(\d{1,10})\r?$/im.exec(all.toString('latin1', 0, end));
    if (length === null) throw new Error('a message began without its Content-Length');
    const bytes = Number(length[1]);
    if (bytes > this.#maximum) {
      throw new Error(`a message of ${bytes} bytes was announced; at most ${this.#maximum} are read`);
    }
    this.#awaited = bytes;
    this.#keep(all.subarray(end + HEADER_END.length));
    return true;
  }

  /** Joins the chunks only when a complete header or body can be read, so that a long body is copied once. */
  #joined(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const all = Buffer.concat(this.#chunks, this.#size);
    this.#keep(all);
    return all;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }
}
