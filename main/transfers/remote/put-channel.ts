import type { Client, ClientChannel } from 'ssh2';
import { PUT_FILE, PUT_FILE_VERSION } from '#shared/sftp/put-file.ts';
import {
  SftpResponseReader,
  initPacket,
  putPacket,
  type SftpResponse,
  type WholeFile,
} from './put-packets.ts';

/** Error for a response other than OK. `code` is the SFTP status code, as in errors of ssh2. */
class PutRefused extends Error {
  override readonly name = 'PutRefused';
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * A second SFTP channel, beside the channel of ssh2, for the one request that ssh2 cannot send
 * (shared/sftp/put-file.ts). Any number of requests may be pending. Requests that are made in one iteration of the
 * event loop are sent together.
 */
export class PutChannel {
  readonly #channel: ClientChannel;
  readonly #waiting = new Map<number, Waiting>();
  readonly #answers = new SftpResponseReader();
  readonly #onVersion: (offered: boolean) => void;
  #unsent: Buffer[] = [];
  #last = 0;
  #ended = false;

  private constructor(channel: ClientChannel, onVersion: (offered: boolean) => void) {
    this.#channel = channel;
    this.#onVersion = onVersion;
    channel.on('data', (chunk: Buffer) => this.#onData(chunk));
    channel.on('error', () => this.#end());
    channel.once('close', () => this.#end());
    channel.write(initPacket());
  }

  /**
   * Opens a channel on an SSH connection.
   *
   * @returns null if the master does not support the request or refuses another channel. The promise may never
   *   settle if the connection breaks, so the caller must watch the connection, too
   */
  static open(client: Client): Promise<PutChannel | null> {
    return new Promise((resolve) => {
      const onChannel = (error: Error | undefined, channel: ClientChannel) => {
        if (error !== undefined) {
          resolve(null);
          return;
        }
        const opened = new PutChannel(channel, (offered) => {
          if (!offered) channel.close();
          resolve(offered ? opened : null);
        });
      };
      try {
        client.subsys('sftp', onChannel);
      } catch {
        // ssh2 throws synchronously on a closed connection; the standard requests then report it.
        resolve(null);
      }
    });
  }

  /** Whether the channel is closed. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Sends the request for one file.
   *
   * @throws PutRefused with the master's response; Error if the channel closes before the response
   */
  put(file: WholeFile): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(new Error('the channel has ended'));
        return;
      }
      this.#last = (this.#last + 1) >>> 0;
      this.#waiting.set(this.#last, { resolve, reject });
      this.#unsent.push(putPacket(this.#last, file));
      if (this.#unsent.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    if (!this.#ended) this.#channel.write(Buffer.concat(unsent));
  }

  #onData(chunk: Buffer): void {
    try {
      for (const answer of this.#answers.read(chunk)) this.#onAnswer(answer);
    } catch {
      // The peer does not speak the protocol. The standard requests follow and report their errors.
      this.#channel.close();
      this.#end();
    }
  }

  #onAnswer(answer: SftpResponse): void {
    if (answer.kind === 'version') {
      this.#onVersion(answer.extensions.get(PUT_FILE) === PUT_FILE_VERSION);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.code === 0) waiting?.resolve();
    else waiting?.reject(new PutRefused(answer.message, answer.code));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onVersion(false);
    for (const { reject } of this.#waiting.values()) reject(new Error('the channel has ended'));
    this.#waiting.clear();
  }
}
