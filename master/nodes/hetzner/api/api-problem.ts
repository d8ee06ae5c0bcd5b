/**
 * Failure of a request to the API. `refused`: the API rejected it and did nothing; `unknown`: it is not known
 * whether it was carried out (no answer, an answer of 5xx, or an unreadable one).
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly outcome: 'refused' | 'unknown';
  /**
   * The API's code, such as `resource_unavailable`; if it gave none, `network`, `unreadable`, `http_502` and the
   * like.
   */
  readonly code: string;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Id of the request for the provider's support; null without an answer. */
  readonly correlation: string | null;

  /** @param message in the words of the provider or the system; must never contain a token */
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

/** Returns whether an error is an API problem with one of these codes. */
export function isProblem(error: unknown, ...codes: readonly string[]): error is ApiProblem {
  return error instanceof ApiProblem && codes.includes(error.code);
}

/** Describes an error for logs and users, in the provider's words and with its code. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error);
  const status = error.status === null ? '' : `, HTTP ${error.status}`;
  return `${error.message} (${error.code}${status})`;
}
