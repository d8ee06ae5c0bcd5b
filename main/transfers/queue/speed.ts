/** Over how long a time the speed is taken, in ms: long enough to be calm, short enough to show a stall. */
const WINDOW_MS = 3000;

/** Samples closer together than this are added up, so that a fast line does not fill the memory. */
const SAMPLE_MS = 100;

interface Sample {
  readonly at: number;
  bytes: number;
}

/** Bytes per second over the last seconds. Time comes in as an argument, in ms, never going back. */
export class SpeedMeter {
  readonly #startedAt: number;
  #samples: Sample[] = [];

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  add(bytes: number, now: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && now - last.at < SAMPLE_MS) last.bytes += bytes;
    else this.#samples.push({ at: now, bytes });
  }

  /** 0 before anything moved, and after a stall of the whole window. */
  bytesPerSecond(now: number): number {
    this.#samples = this.#samples.filter(({ at }) => now - at < WINDOW_MS);
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    const elapsed = Math.max(SAMPLE_MS, Math.min(WINDOW_MS, now - this.#startedAt));
    return Math.round((bytes * 1000) / elapsed);
  }
}
