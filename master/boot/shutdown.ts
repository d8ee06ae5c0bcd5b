/** Collects functions that close the opened parts of the master. Calls them in reverse order. */
export class CloseStack {
  #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }
}

/** The shutdown of a master. It happens once. Any number of callers can wait for it. */
export class Shutdown {
  /** Resolves when the shutdown is complete, even if it failed. */
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

  /**
   * Starts the shutdown. Resolves when it is complete, and rejects if closing a part fails. Later calls wait for the
   * same shutdown, and their `why` is ignored.
   */
  begin(why: string): Promise<void> {
    this.#begun ??= this.#close(why).finally(this.#resolve);
    return this.#begun;
  }
}
