import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Maximum time to wait until clients have got their last data, when the master ends their session (ms). */
const DRAIN_MS = 250;

/** Maximum time for the master to open a connection for a channel (ms). */
const CONNECT_MS = 10_000;

/**
 * Connects each channel of the admin API with a connection that the master has opened in advance
 * (master-side/serve-api-on.ts).
 */
export class ApiChannels {
  readonly #connectMs: number;
  readonly #spare: Socket[] = [];
  readonly #waiting: {
    readonly session: string;
    readonly channel: Duplex;
    readonly timer: NodeJS.Timeout;
  }[] = [];
  /** Connections in use, by session. */
  readonly #used = new Map<string, Set<Socket>>();

  /** @param connectMs maximum time for the master to open a connection (ms); 10 s by default */
  constructor(connectMs = CONNECT_MS) {
    this.#connectMs = connectMs;
  }

  /** Adds a connection that the master has opened. */
  offer(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const next = this.#waiting.shift();
    if (next !== undefined) {
      clearTimeout(next.timer);
      this.#join(socket, next.session, next.channel);
    } else {
      this.#spare.push(socket);
      socket.on('close', () => {
        const at = this.#spare.indexOf(socket);
        if (at >= 0) this.#spare.splice(at, 1);
      });
    }
  }

  /**
   * Connects a channel of a session with the master as soon as the master has opened a connection. Closes the channel
   * if there is none within 10 s.
   */
  serve(session: string, channel: Duplex): void {
    const socket = this.#spare.shift();
    if (socket !== undefined) {
      this.#join(socket, session, channel);
      return;
    }
    const timer = setTimeout(() => channel.destroy(), this.#connectMs);
    const waiting = { session, channel, timer };
    this.#waiting.push(waiting);
    channel.on('close', () => {
      clearTimeout(timer);
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
    });
  }

  /** Closes all connections. */
  close(): void {
    for (const socket of [...this.#spare, ...[...this.#used.values()].flatMap((used) => [...used])])
      socket.destroy();
  }

  /**
   * Resolves when the master has closed the connections of a session, so that clients have got their data; after 250
   * ms at the latest.
   */
  async drained(session: string): Promise<void> {
    const signal = AbortSignal.timeout(DRAIN_MS);
    const used = [...(this.#used.get(session) ?? [])];
    await Promise.allSettled(used.map((socket) => once(socket, 'close', { signal })));
  }

  /** Passes on all bytes in both directions, with back-pressure, until one side closes. */
  #join(socket: Socket, session: string, channel: Duplex): void {
    const used = this.#used.get(session) ?? new Set();
    this.#used.set(session, used.add(socket));
    socket.write(`${JSON.stringify({ session })}\n`);
    channel.pipe(socket);
    socket.pipe(channel);
    channel.on('error', () => socket.destroy());
    channel.on('close', () => socket.destroy());
    socket.on('close', () => {
      channel.destroy();
      used.delete(socket);
      if (used.size === 0) this.#used.delete(session);
    });
  }
}
