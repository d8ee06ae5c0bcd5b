import TinyQueue from 'tinyqueue';

interface Entry {
  readonly at: number;
  /** Ties are served in the order in which they were entered: the same run every time. */
  readonly order: number;
  readonly run: () => void;
}

/** What is going to happen on the virtual clock. Times are ms since epoch. */
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

  /** @throws RangeError for a time that has passed */
  enter(at: number, run: () => void): void {
    if (at < this.#now) throw new RangeError(`${at} is before ${this.#now}`);
    this.#entries.push({ at, order: this.#count, run });
    this.#count += 1;
  }

  enterIn(ms: number, run: () => void): void {
    this.enter(this.#now + ms, run);
  }

  /** Lets everything happen that is due by `end`, which is then the time. */
  runUntil(end: number): void {
    for (let next = this.#entries.peek(); next !== undefined && next.at <= end; next = this.#entries.peek()) {
      this.#entries.pop();
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
