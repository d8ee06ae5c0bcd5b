import { preciseMs } from '#shared/node/clock.ts';

/** Shortest pause between two rounds in haste, ms: faster than anybody sees. */
const SHORTEST_MS = 100;

/** Rounds in haste take at most this part of the time: a large network in which players come and go all the time goes round less often. */
const PART = 0.1;

/** Longest pause, ms: a round that waited for a node has not cost what it took. */
const LONGEST_MS = 1_000;

/** Rounds in between that somebody waits for, as many calls as there may be: soon, but not more often than they are worth. */
export class AdaptiveThrottle {
  readonly #go: () => void;
  #pauseMs = SHORTEST_MS;
  #wentAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(go: () => void) {
    this.#go = go;
  }

  /** Goes round at once when the last time is long enough ago, else as soon as it is. */
  call(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(0, this.#wentAt + this.#pauseMs - preciseMs());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#wentAt = preciseMs();
      this.#go();
    }, waitMs);
  }

  /** How long a round has taken just now, ms. Example: after one of 50 ms the next comes no sooner than 500 ms later. */
  cost(ms: number): void {
    this.#pauseMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms / PART));
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
