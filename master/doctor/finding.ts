/** Result of one check of the doctor. Verdict `skipped`: the check does not apply. */
export interface Finding {
  /** Name of the check in a few words, for example `API token`. */
  readonly check: string;
  readonly verdict: 'ok' | 'warning' | 'bad' | 'skipped';
  /** The result in one sentence. */
  readonly found: string;
  /** Advice on the result, in one sentence. Null if nothing needs to be done. */
  readonly advice: string | null;
}

/** Creates the finding of a check without a problem. */
export function ok(check: string, found: string): Finding {
  return { check, verdict: 'ok', found, advice: null };
}

/** Creates the finding of a check that could not be made or is not needed. @param found the reason */
export function skipped(check: string, found: string): Finding {
  return { check, verdict: 'skipped', found, advice: null };
}

/** Creates the finding of a problem that may become serious. @param advice what to do */
export function warning(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'warning', found, advice };
}

/** Creates the finding of a failed check. It gives the command the exit code 1. @param advice what to do */
export function bad(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'bad', found, advice };
}
