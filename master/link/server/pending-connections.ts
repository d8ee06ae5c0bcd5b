import type { Socket } from 'node:net';
import { networkOf } from './address-gate.ts';

/** Connections of which nobody knows yet whose they are: few, and for a short time. */
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
   * Takes a connection in, for a while. When it is full, the address (of IPv6: the /64) with the most connections loses one
   * of them by chance: so one machine keeps out no other, and who floods it from the same machine keeps out nobody for long
   * either, as an honest greeting takes milliseconds.
   *
   * @returns false when somebody else was turned away for it
   */
  enter(socket: Socket): boolean {
    const isFull = this.#inside.size >= this.#max;
    if (isFull) this.#oneOf(this.#largestCrowd())?.destroy();
    const timer = setTimeout(() => socket.destroy(), this.#timeoutMs);
    this.#inside.set(socket, { from: networkOf(socket.remoteAddress ?? ''), timer });
    socket.once('close', () => this.leave(socket));
    return !isFull;
  }

  /** It has proven whose it is, or it is closed. */
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
    // At once, not when it is closed: several may come before that.
    if (socket !== undefined) this.leave(socket);
    return socket;
  }
}
