interface JavaProblemOptions {
  readonly cause?: unknown;
  /** Time for which another attempt is useless (ms); null if unknown. */
  readonly pauseMs?: number | null;
}

/** Thrown if a Java runtime cannot be downloaded or installed. The message is a clause with the reason. */
export class JavaProblem extends Error {
  override readonly name = 'JavaProblem';
  readonly pauseMs: number | null;

  constructor(why: string, { cause, pauseMs = null }: JavaProblemOptions = {}) {
    super(why, { cause });
    this.pauseMs = pauseMs;
  }
}
