import type { Socket } from 'node:net';
import { networkOf } from './address-gate.ts';

/** Connections that have not identified themselves yet: only a few, and only for a short time. */
export class PendingConnections {
  readonly #max: number;
  readonly #timeoutMs: number;
  readonly #inside = new Map<Socket, { readonly from: string; readonly timer: NodeJS.Timeout }>();

  constructor({ max, timeoutMs }: { max: number; timeoutMs: number }) {
    this.#max = max;
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#inside.size;
  }

  /**
   * Adds a connection for a limited time. If the list is full, a random connection of the address with the most
   * connections is closed (for IPv6: of the /64). So one machine cannot lock out others. Even on the same machine
   * an honest client gets through, as its greeting takes only milliseconds.
   *
   * @returns false if another connection was closed for it
   */
  enter(socket: Socket): boolean {
    const isFull = this.#inside.size >= this.#max;
    if (isFull) this.#oneOf(this.#largestCrowd())?.destroy();
    const timer = setTimeout(() => socket.destroy(), this.#timeoutMs);
    this.#inside.set(socket, { from: networkOf(socket.remoteAddress ?? ''), timer });
    socket.once('close', () => this.leave(socket));
    return !isFull;
  }

  /** Removes a connection that has identified itself, or was closed. */
  leave(socket: Socket): void {
    const session = this.#inside.get(socket);
    if (session === undefined) return;
    clearTimeout(session.timer);
    this.#inside.delete(socket);
  }

  closeAll(): void {
    for (const socket of [...this.#inside.keys()]) socket.destroy();
  }

  #largestCrowd(): string {
    const counts = new Map<string, number>();
    for (const { from } of this.#inside.values()) counts.set(from, (counts.get(from) ?? 0) + 1);
    let largest = { from: '', count: 0 };
    for (const [from, count] of counts) if (count > largest.count) largest = { from, count };
    return largest.from;
  }

  #oneOf(address: string): Socket | undefined {
    const crowd = [...this.#inside].filter(([, { from }]) => from === address).map(([socket]) => socket);
    const socket = crowd[Math.floor(Math.random() * crowd.length)];
    // Removed now instead of on close, as further connections may arrive before that.
    if (socket !== undefined) this.leave(socket);
    return socket;
  }
}
