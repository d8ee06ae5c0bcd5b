import type { Socket } from 'node:net';
import { networkOf } from './address-gate.ts';

/** Connections whose senders have not identified themselves yet. Their number and their time are limited. */
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
   * Adds a connection for a limited time. If the maximum is reached, closes a random connection of the address with
   * the most connections (for IPv6: of the /64 network), so that one machine cannot lock out others. An honest client
   * on that machine gets through as well, because it identifies itself within milliseconds.
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
    // Removed now and not when the connection is closed, because further connections may arrive in between.
    if (socket !== undefined) this.leave(socket);
    return socket;
  }
}
