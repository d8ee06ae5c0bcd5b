interface JavaProblemOptions {
  readonly cause?: unknown;
  /** Time for which another attempt is useless (ms); null if unknown. */
  readonly pauseMs?: number | null;
  /**
   * Whether the cause is on the master's own machine, for example because its disk has no room for the download. The
   * installation then fails on every node that does not have Java yet. Default false.
   */
  readonly isOnMaster?: boolean;
}

/** Thrown if a Java runtime cannot be downloaded or installed. The message is a clause with the reason. */
export class JavaProblem extends Error {
  override readonly name = 'JavaProblem';
  readonly pauseMs: number | null;
  readonly isOnMaster: boolean;

  constructor(why: string, { cause, pauseMs = null, isOnMaster = false }: JavaProblemOptions = {}) {
    super(why, { cause });
    this.pauseMs = pauseMs;
    this.isOnMaster = isOnMaster;
  }
}
