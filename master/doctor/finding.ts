/** Result of one check of the doctor. `skipped`: the check does not apply. */
export interface Finding {
  /** Name of the check in a few words, for example `API token`. */
  readonly check: string;
  readonly verdict: 'ok' | 'warning' | 'bad' | 'skipped';
  /** The result in one sentence. */
  readonly found: string;
  /** Advice on the result, in one sentence. Null if nothing needs to be done. */
  readonly advice: string | null;
}

export function ok(check: string, found: string): Finding {
  return { check, verdict: 'ok', found, advice: null };
}

export function skipped(check: string, found: string): Finding {
  return { check, verdict: 'skipped', found, advice: null };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'warning', found, advice };
}

export function bad(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'bad', found, advice };
}
