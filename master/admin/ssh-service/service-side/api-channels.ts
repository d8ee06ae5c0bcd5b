import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Maximum time to wait for the last data of channels whose session the master ends (ms). */
const DRAIN_MS = 250;

/** Maximum time for the master to open a connection for a channel (ms). */
const CONNECT_MS = 10_000;

/**
 * Connects channels of the admin API with connections that the master has opened in advance
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

  /** Takes a connection of the master. */
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
   * Passes a channel of a session on to the master, as soon as there is a connection. Closes it if there is none
   * within 10 s.
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
   * Resolves when the master has closed the connections of a session and clients have got their data, at most after
   * 250 ms.
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
