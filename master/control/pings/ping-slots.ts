/** `slow`: the service let its last ping time out, so this one probably takes its slot for as long. */
export type PingLane = 'quick' | 'slow';

/** Most pings at the same time: each takes a file descriptor, of which a process often may have only 1,024. */
const MAX_PINGS = 256;

/** Most slow pings at the same time, so that services that never answer do not delay the others. */
const MAX_SLOW_PINGS = 128;

type Work = () => Promise<void>;

/** Bounds how many pings run at the same time. */
export class PingSlots {
  readonly #waiting: Record<PingLane, Work[]> = { quick: [], slow: [] };
  readonly #running: Record<PingLane, number> = { quick: 0, slow: 0 };

  /** Runs the work, which must not reject, as soon as a slot is free. */
  run(lane: PingLane, work: Work): void {
    this.#waiting[lane].push(work);
    this.#fill();
  }

  #fill(): void {
    while (this.#running.quick + this.#running.slow < MAX_PINGS) {
      // Newest first: when slots are short, the newest service is the one that somebody waits for.
      const quick = this.#waiting.quick.pop();
      if (quick !== undefined) {
        this.#begin('quick', quick);
        continue;
      }
      const slow = this.#running.slow < MAX_SLOW_PINGS ? this.#waiting.slow.shift() : undefined;
      if (slow === undefined) return;
      this.#begin('slow', slow);
    }
  }

  #begin(lane: PingLane, work: Work): void {
    this.#running[lane] += 1;
    void work().finally(() => {
      this.#running[lane] -= 1;
      this.#fill();
    });
  }
}
