/** Time over which the speed is averaged (ms): long enough to be steady, short enough to show a stall. */
const WINDOW_MS = 3000;

/** Minimum time between two stored samples (ms). Closer samples are merged, which limits memory on a fast network. */
const SAMPLE_MS = 100;

interface Sample {
  readonly at: number;
  bytes: number;
}

/** Measures the average speed of the last 3 s. The caller passes the times (ms), which must never decrease. */
export class SpeedMeter {
  readonly #startedAt: number;
  #samples: Sample[] = [];

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Counts bytes that have arrived at a time (ms). */
  add(bytes: number, now: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && now - last.at < SAMPLE_MS) last.bytes += bytes;
    else this.#samples.push({ at: now, bytes });
  }

  /** Returns the average speed of the last 3 s; 0 if no bytes have arrived in that time. */
  bytesPerSecond(now: number): number {
    this.#samples = this.#samples.filter(({ at }) => now - at < WINDOW_MS);
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    const elapsed = Math.max(SAMPLE_MS, Math.min(WINDOW_MS, now - this.#startedAt));
    return Math.round((bytes * 1000) / elapsed);
  }
}
