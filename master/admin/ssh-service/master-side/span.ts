interface SpanOptions {
  /** Time after which the span ends by itself (ms). */
  readonly maxMs: number;
  /** Called once, when the span ends. */
  readonly onEnd: () => void;
}

/**
 * A callback in this process that starts in {@link Span.begin} and does not return before {@link Span.end}. It does
 * nothing itself. While it lasts, the other process does the work.
 */
export class Span {
  readonly #finished: Promise<unknown>;
  readonly #end: () => void;

  private constructor(finished: Promise<unknown>, end: () => void) {
    this.#finished = finished;
    this.#end = end;
  }

  /**
   * Calls `run` with a callback that lasts until the span ends. Resolves as soon as `run` has called the callback.
   *
   * @throws whatever `run` throws before it calls the callback
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
      // Has no effect if `run` has already called the callback.
      finished.then(() => reject(new Error('the callback was not called')), reject);
    });
    const timer = setTimeout(end, maxMs).unref();
    void over.then(() => {
      clearTimeout(timer);
      onEnd();
    });
    return new Span(finished, end);
  }

  /** Ends the callback. Resolves when `run` has resolved. @throws whatever `run` throws after its callback */
  async end(): Promise<void> {
    this.#end();
    await this.#finished;
  }
}
