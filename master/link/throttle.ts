import { monotonicMs } from '#shared/node/clock.ts';

/** Runs an action soon after it is requested, at most once per interval. Requests until then are combined. */
export class Throttle {
  readonly #everyMs: number;
  readonly #act: () => void;
  #timer: NodeJS.Timeout | null = null;
  #lastAt = -Infinity;

  constructor(everyMs: number, act: () => void) {
    this.#everyMs = everyMs;
    this.#act = act;
  }

  ask(): void {
    if (this.#timer !== null) return;
    const waitMs = Math.max(0, this.#lastAt + this.#everyMs - monotonicMs());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lastAt = monotonicMs();
      this.#act();
    }, waitMs);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
