import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faketimeIn } from '../kit/faketime.ts';
import { findSurroundings } from '../kit/surroundings.ts';

/** Maximum time for which a program may use a cached time (s). */
const CACHE_S = 1;

/**
 * System clock that a test can change. It applies to programs that are started with its {@link
 * MovedClock.environment}.
 */
export class MovedClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #aheadMs = 0;

  /** @param folder folder for the file that stores the clock's offset */
  constructor(folder: string) {
    this.#file = join(folder, 'clock');
    const { image } = findSurroundings();
    this.environment = {
      LD_PRELOAD: join(image, faketimeIn(image)),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: String(CACHE_S),
      // Only the system time is changed; timers and the age of files are not affected.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.#write();
  }

  /** How far the clock is ahead of the real time (ms). */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    this.#write();
  }

  #write(): void {
    writeFileSync(this.#file, `+${Math.round(this.#aheadMs / 1_000)}\n`);
  }
}
