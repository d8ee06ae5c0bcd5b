import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What a relay does with connections. `pass`: forwards them unchanged. `flip`: changes single bytes in both
 * directions. `imposter`: connects clients to the server at {@link TamperingRelayOptions.imposter} instead of the
 * target.
 */
type Mode = 'pass' | 'flip' | 'imposter';

interface TamperingRelayOptions {
  /** Address to listen on; default 127.0.0.1 with a free port. */
  readonly host?: string;
  readonly port?: number;
  readonly target: () => { readonly host: string; readonly port: number };
  /** Source address of the relay's connections to the target. */
  readonly from?: string;
  /** Port on 127.0.0.1 of the server that pretends to be the target. */
  readonly imposter?: number;
  /**
   * In the mode `flip`, the relay changes on average one byte per this number of bytes. Default 300, so that no login
   * succeeds.
   */
  readonly flippedPer?: number;
}

/** Man in the middle: a TCP relay that can change bytes, or connect clients to an imposter. */
export class TamperingRelay {
  readonly port: number;
  #mode: Mode = 'pass';
  /** Number of bytes that were changed so far. */
  flipped = 0;
  /** Number of connections so far that were made to the imposter. */
  deceived = 0;
  readonly #server: Server;
  readonly #options: TamperingRelayOptions;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, options: TamperingRelayOptions) {
    this.#server = server;
    this.#options = options;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near: Socket) => this.#join(near));
  }

  static async open(options: TamperingRelayOptions): Promise<TamperingRelay> {
    const { host = '127.0.0.1', port = 0 } = options;
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, resolve);
    });
    return new TamperingRelay(server, options);
  }

  /** Changes the mode, and closes all connections, so that clients connect again in the new mode. */
  become(mode: Mode): void {
    this.#mode = mode;
    this.cut();
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #join(near: Socket): void {
    const { target, from, imposter } = this.#options;
    const isFalse = this.#mode === 'imposter' && imposter !== undefined;
    if (isFalse) this.deceived += 1;
    const to = isFalse ? { host: '127.0.0.1', port: imposter } : target();
    const far = connect({ ...to, ...(from === undefined || isFalse ? {} : { localAddress: from }) });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.on('end', () => other.end());
      one.on('data', (bytes) => {
        if (!other.write(this.#mode === 'flip' ? this.#change(bytes) : bytes)) one.pause();
      });
      other.on('drain', () => one.resume());
    }
  }

  #change(bytes: Buffer): Buffer {
    const { flippedPer = 300 } = this.#options;
    for (let at = 0; at < bytes.length; at++) {
      if (Math.random() * flippedPer >= 1) continue;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(Math.random() * 8)), at);
      this.flipped += 1;
    }
    return bytes;
  }
}
