/** What one look of the doctor found. `skipped`: there was nothing to look at. */
export interface Finding {
  /** What was looked at, a few words: `API token`. */
  readonly check: string;
  readonly verdict: 'ok' | 'warning' | 'bad' | 'skipped';
  /** One sentence. */
  readonly found: string;
  /** What to do about it, one sentence; null when there is nothing to do. */
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
