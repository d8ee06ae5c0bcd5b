/**
 * Why a request to the API did not succeed. `refused`: the API said no, and nothing was done; `unknown`: nobody knows
 * whether it was done (no answer, an answer of 5xx, or one that cannot be read).
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly outcome: 'refused' | 'unknown';
  /** The API's own code, such as `resource_unavailable`; `network`, `unreadable`, `http_502` … where it gave none. */
  readonly code: string;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Names the request to the provider's support; null without an answer. */
  readonly correlation: string | null;

  /** @param message in the provider's words or the system's; never with a token in it */
  constructor(message: string, facts: ApiProblemFacts) {
    super(message);
    this.outcome = facts.outcome;
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.correlation = facts.correlation ?? null;
  }
}

interface ApiProblemFacts {
  readonly outcome: 'refused' | 'unknown';
  readonly code: string;
  readonly status?: number | null;
  readonly correlation?: string | null;
}

/** True for an API problem with one of these codes. */
export function isProblem(error: unknown, ...codes: readonly string[]): error is ApiProblem {
  return error instanceof ApiProblem && codes.includes(error.code);
}

/** For the log and for people: the provider's words with its code. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error);
  const status = error.status === null ? '' : `, HTTP ${error.status}`;
  return `${error.message} (${error.code}${status})`;
}
