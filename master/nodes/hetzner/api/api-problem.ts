/**
 * Failure of a request to the API. `refused`: the API rejected the request and did nothing. `unknown`: the request
 * may have been carried out (no answer, an answer of 5xx, or an unreadable answer).
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly outcome: 'refused' | 'unknown';
  /**
   * The API's error code, such as `resource_unavailable`. Without such a code: for example `network`, `unreadable` or
   * `http_502`.
   */
  readonly code: string;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Id under which the provider's support finds the request; null if there was no answer. */
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

/**
 * Returns the same problem with the outcome `unknown`, for a refused request that only asks about the outcome of an
 * earlier one. Returns other errors unchanged.
 */
export function withUnknownOutcome(error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error;
  const { message, code, status, correlation } = error;
  return new ApiProblem(message, { outcome: 'unknown', code, status, correlation });
}

/** Reports whether an error is an API problem with one of these codes. */
export function isProblem(error: unknown, ...codes: readonly string[]): error is ApiProblem {
  return error instanceof ApiProblem && codes.includes(error.code);
}

/** Describes an error for logs and users, in the provider's words and with its code. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error);
  const status = error.status === null ? '' : `, HTTP ${error.status}`;
  return `${error.message} (${error.code}${status})`;
}
