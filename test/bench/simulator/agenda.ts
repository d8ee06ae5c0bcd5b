import TinyQueue from 'tinyqueue';

interface Entry {
  readonly at: number;
  /**
   * Sequence number of the event. Events at the same time run in the order in which they were added, so that all runs
   * are identical.
   */
  readonly order: number;
  readonly run: () => void;
}

/** Future events on the virtual clock. All times are in ms since epoch. */
export class Agenda {
  readonly #entries = new TinyQueue<Entry>([], (a, b) => a.at - b.at || a.order - b.order);
  #now: number;
  #count = 0;

  constructor(now: number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  /**
   * Adds an event.
   *
   * @throws RangeError if its time has already passed
   */
  enter(at: number, run: () => void): void {
    if (at < this.#now) throw new RangeError(`${at} is before ${this.#now}`);
    this.#entries.push({ at, order: this.#count, run });
    this.#count += 1;
  }

  enterIn(ms: number, run: () => void): void {
    this.enter(this.#now + ms, run);
  }

  /** Runs all events up to the time `end`, and sets the clock to this time. */
  runUntil(end: number): void {
    for (let next = this.#entries.peek(); next !== undefined && next.at <= end; next = this.#entries.peek()) {
      this.#entries.pop();
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
