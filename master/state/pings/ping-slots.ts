/**
 * Expected duration of a service's next ping. `slow`: the last ping took at least 1 s, so the next one will probably
 * occupy a slot for the same time. `quick`: all other services.
 */
export type PingLane = 'quick' | 'slow';

/** Maximum number of concurrent pings. Each ping needs a file descriptor, and a process may often open only 1,024. */
const MAX_PINGS = 256;

/** Maximum number of concurrent slow pings. The other slots stay free for services that answer quickly. */
const MAX_SLOW_PINGS = 128;

type Work = () => Promise<void>;

/** Limits how many pings run at the same time: 256, of which at most 128 are in the slow lane. */
export class PingSlots {
  readonly #waiting: Record<PingLane, Work[]> = { quick: [], slow: [] };
  readonly #running: Record<PingLane, number> = { quick: 0, slow: 0 };

  /**
   * Runs the work as soon as a slot is free. Quick work comes before slow work. Of the quick work, the work that was
   * added last runs first. The work must not reject.
   */
  run(lane: PingLane, work: Work): void {
    this.#waiting[lane].push(work);
    this.#fill();
  }

  #fill(): void {
    while (this.#running.quick + this.#running.slow < MAX_PINGS) {
      // The newest ping runs first, because a person most likely waits for the newest service.
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
