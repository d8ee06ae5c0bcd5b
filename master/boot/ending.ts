/** What has been opened so far, to be closed in reverse. */
export class Opened {
  #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }
}

/** The end of a master: begun once, awaited by many. */
export class Ending {
  /** Resolves when it has ended, however that went. */
  readonly ended: Promise<void>;
  readonly #close: (why: string) => Promise<void>;
  #resolve: () => void = () => undefined;
  #begun: Promise<void> | null = null;

  constructor(close: (why: string) => Promise<void>) {
    this.#close = close;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Ends it, for the first reason that is given; rejects as closing does. */
  begin(why: string): Promise<void> {
    this.#begun ??= this.#close(why).finally(this.#resolve);
    return this.#begun;
  }
}
