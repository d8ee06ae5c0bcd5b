import type { Socket } from 'node:net';

/** Connections of which nobody knows yet whose they are: few, and for a short time. */
export class Antechamber {
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
   * Takes a connection in, for a while. When it is full, the address with the most connections loses its oldest, so that one
   * machine keeps out no other; who comes from that address itself is turned away, so that those before it get through.
   *
   * @returns false when it is turned away
   */
  enter(socket: Socket): boolean {
    const from = socket.remoteAddress ?? '';
    if (this.#inside.size >= this.#max) {
      const crowd = this.#largestCrowd();
      if (crowd === from || this.#countOf(crowd) <= this.#countOf(from) + 1) return false;
      this.#oldestOf(crowd)?.destroy();
    }
    const timer = setTimeout(() => socket.destroy(), this.#timeoutMs);
    this.#inside.set(socket, { from, timer });
    socket.once('close', () => this.leave(socket));
    return true;
  }

  /** It has proven whose it is, or it is closed. */
  leave(socket: Socket): void {
    const guest = this.#inside.get(socket);
    if (guest === undefined) return;
    clearTimeout(guest.timer);
    this.#inside.delete(socket);
  }

  closeAll(): void {
    for (const socket of [...this.#inside.keys()]) socket.destroy();
  }

  #countOf(address: string): number {
    let count = 0;
    for (const { from } of this.#inside.values()) if (from === address) count++;
    return count;
  }

  #largestCrowd(): string {
    const counts = new Map<string, number>();
    for (const { from } of this.#inside.values()) counts.set(from, (counts.get(from) ?? 0) + 1);
    let largest = { from: '', count: 0 };
    for (const [from, count] of counts) if (count > largest.count) largest = { from, count };
    return largest.from;
  }

  #oldestOf(address: string): Socket | undefined {
    for (const [socket, { from }] of this.#inside) if (from === address && !socket.destroyed) return socket;
    return undefined;
  }
}
