import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faketimeIn } from '../kit/faketime.ts';
import { findSurroundings } from '../kit/surroundings.ts';

/** How long a program may go on with the time it knew, s. */
const CACHE_S = 1;

/** A wall clock that a test moves, for programs that are started with its {@link MovedClock.environment}. */
export class MovedClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;
  #aheadMs = 0;

  /** @param folder where it keeps its offset */
  constructor(folder: string) {
    this.#file = join(folder, 'clock');
    const { image } = findSurroundings();
    this.environment = {
      LD_PRELOAD: join(image, faketimeIn(image)),
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: String(CACHE_S),
      // Only what people call the time is moved: timers and the age of files stay what they are.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    this.#write();
  }

  /** How far it is ahead of the real one, ms. */
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
