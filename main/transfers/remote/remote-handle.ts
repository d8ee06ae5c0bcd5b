import type { InputAttributes, SFTPWrapper, Stats } from 'ssh2';
import { isEndOfFile } from './file-errors.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { Sink, Source } from './copy-bytes.ts';

interface Context {
  /** Path, for messages. */
  readonly path: string;
  readonly pending: PendingRequests;
  /** Called when the file is closed, even if the master reports an error. */
  readonly onClosed: () => void;
}

/** An open file on the master. */
export class RemoteHandle implements Source, Sink {
  readonly #channel: SFTPWrapper;
  readonly #handle: Buffer;
  readonly #path: string;
  readonly #pending: PendingRequests;
  readonly #onClosed: () => void;
  #read = 0;
  #written = 0;

  constructor(channel: SFTPWrapper, handle: Buffer, { path, pending, onClosed }: Context) {
    this.#channel = channel;
    this.#handle = handle;
    this.#path = path;
    this.#pending = pending;
    this.#onClosed = onClosed;
  }

  /**
   * Fills the buffer from a position of the file.
   *
   * @returns number of bytes read; fewer than the buffer only at the end of the file
   */
  async readAt(buffer: Buffer, position: number): Promise<number> {
    let filled = 0;
    while (filled < buffer.length) {
      const bytes = await this.#readSome(buffer.subarray(filled), position + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    this.#read += filled;
    return filled;
  }

  /** Writes the whole buffer at a position of the file. */
  async writeAt(buffer: Buffer, position: number): Promise<void> {
    await this.#pending.request<unknown>(this.#path, (done) => {
      this.#channel.write(this.#handle, buffer, 0, buffer.length, position, done);
    });
    this.#written += buffer.length;
  }

  /** Returns the attributes of the open file. */
  stat(): Promise<Stats> {
    return this.#pending.request<Stats>(this.#path, (done) => this.#channel.fstat(this.#handle, done));
  }

  /** Changes attributes of the open file, such as its mode and times. */
  async setAttributes(attributes: InputAttributes): Promise<void> {
    await this.#pending.request<unknown>(this.#path, (done) => {
      this.#channel.fsetstat(this.#handle, attributes, done);
    });
  }

  /** Closes the file and adds a line to the request log. */
  async close(): Promise<void> {
    try {
      await this.#pending.request<unknown>(
        this.#path,
        (done) => this.#channel.close(this.#handle, done),
        `CLOSE ${this.#path} (${this.#read} bytes read, ${this.#written} written)`,
      );
    } finally {
      this.#onClosed();
    }
  }

  #readSome(buffer: Buffer, position: number): Promise<number> {
    return this.#pending.request<number>(this.#path, (done) => {
      this.#channel.read(this.#handle, buffer, 0, buffer.length, position, (error, bytes) => {
        if (isEndOfFile(error)) done(null, 0);
        else done(error, bytes);
      });
    });
  }
}
