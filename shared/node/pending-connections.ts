import type { Socket } from 'node:net';
import { networkOf } from './address-gate.ts';

/**
 * Number of pending connections that a known network keeps even if the maximum number of pending connections is
 * reached.
 */
const KEPT_PER_KNOWN_NETWORK = 4;

/** Maximum number of known networks. If it is exceeded, the network with the oldest last login is removed. */
const MAX_KNOWN_NETWORKS = 256;

/**
 * Connections of clients that have not identified themselves yet. Limits the number of these connections and the time
 * for which each may stay.
 */
export class PendingConnections {
  readonly #max: number;
  readonly #timeoutMs: number;
  /** Networks from which a client has identified itself, the most recent login last. */
  readonly #known = new Set<string>();
  readonly #inside = new Map<Socket, { readonly from: string; readonly timer: NodeJS.Timeout }>();

  constructor({ max, timeoutMs }: { max: number; timeoutMs: number }) {
    this.#max = max;
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#inside.size;
  }

  /**
   * Adds a connection for a limited time. If the maximum is reached, closes a random connection of the address with
   * the most connections, so that one machine cannot lock out others. For IPv6, all addresses of a /64 network count
   * as one. An honest client on the same machine still succeeds, because it identifies itself within milliseconds.
   *
   * A known network, from which a client has identified itself before, keeps a few connections. Many unknown clients,
   * each with its own address, therefore cannot lock out known clients.
   *
   * @returns false if another connection was closed to make room
   */
  enter(socket: Socket): boolean {
    const isFull = this.#inside.size >= this.#max;
    if (isFull) this.#oneOf(this.#largestCrowd())?.destroy();
    const timer = setTimeout(() => socket.destroy(), this.#timeoutMs);
    this.#inside.set(socket, { from: networkOf(socket.remoteAddress ?? ''), timer });
    socket.once('close', () => this.leave(socket));
    return !isFull;
  }

  /** Removes the connection of a client that has identified itself, and remembers its network. */
  identify(socket: Socket): void {
    const network = this.#inside.get(socket)?.from;
    this.leave(socket);
    if (network === undefined) return;
    this.#known.delete(network);
    this.#known.add(network);
    for (const oldest of this.#known) {
      if (this.#known.size <= MAX_KNOWN_NETWORKS) return;
      this.#known.delete(oldest);
    }
  }

  /** Removes a connection that was closed. */
  leave(socket: Socket): void {
    const session = this.#inside.get(socket);
    if (session === undefined) return;
    clearTimeout(session.timer);
    this.#inside.delete(socket);
  }

  /** Closes all connections of clients that have not identified themselves. */
  closeAll(): void {
    for (const socket of [...this.#inside.keys()]) socket.destroy();
  }

  #largestCrowd(): string {
    const counts = new Map<string, number>();
    for (const { from } of this.#inside.values()) counts.set(from, (counts.get(from) ?? 0) + 1);
    const others = [...counts].filter(
      ([from, count]) => !this.#known.has(from) || count > KEPT_PER_KNOWN_NETWORK,
    );
    let largest = { from: '', count: 0 };
    for (const [from, count] of others.length > 0 ? others : counts)
      if (count > largest.count) largest = { from, count };
    return largest.from;
  }

  #oneOf(address: string): Socket | undefined {
    const crowd = [...this.#inside].filter(([, { from }]) => from === address).map(([socket]) => socket);
    const socket = crowd[Math.floor(Math.random() * crowd.length)];
    // The connection is removed now and not when its socket has closed, because further connections may arrive in
    // between.
    if (socket !== undefined) this.leave(socket);
    return socket;
  }
}
