import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum time for which a program uses a cached time (s). */
const CACHE_S = 1;

/**
 * System clock that a test can change. Only programs that are started with {@link MovedClock.environment} use this
 * clock.
 */
export class MovedClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #aheadMs = 0;

  /**
   * @param folder folder for the file that stores the clock's offset
   * @param library path of libfaketime
   */
  constructor(folder: string, library: string) {
    this.#file = join(folder, 'clock');
    this.environment = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: String(CACHE_S),
      // Only the system time changes. Timers and the age of files are not affected.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.#write();
  }

  /** How far the clock is ahead of the real time (ms); negative if it is behind. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    this.#write();
  }

  #write(): void {
    const seconds = Math.round(this.#aheadMs / 1_000);
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }
}
