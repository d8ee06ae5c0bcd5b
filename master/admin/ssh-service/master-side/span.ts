interface SpanOptions {
  /** Time after which the span ends by itself (ms). */
  readonly maxMs: number;
  /** Called once, when the span ends. */
  readonly onEnd: () => void;
}

/** A callback that lasts from {@link Span.begin} to {@link Span.end}. The other process does its work meanwhile. */
export class Span {
  readonly #finished: Promise<unknown>;
  readonly #end: () => void;

  private constructor(finished: Promise<unknown>, end: () => void) {
    this.#finished = finished;
    this.#end = end;
  }

  /**
   * Calls `run` with a callback that lasts until the span ends. Resolves when the callback has been called.
   *
   * @throws what `run` throws before it calls the callback
   */
  static async begin(
    run: (work: () => Promise<void>) => Promise<unknown>,
    { maxMs, onEnd }: SpanOptions,
  ): Promise<Span> {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    let finished: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      finished = run(() => {
        resolve();
        return over;
      });
      // Without effect if the callback was called.
      finished.then(() => reject(new Error('the callback was not called')), reject);
    });
    const timer = setTimeout(end, maxMs).unref();
    void over.then(() => {
      clearTimeout(timer);
      onEnd();
    });
    return new Span(finished, end);
  }

  /** Ends the callback, and resolves when `run` has. @throws what `run` throws after its callback */
  async end(): Promise<void> {
    this.#end();
    await this.#finished;
  }
}
