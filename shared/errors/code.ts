/**
 * Where the cause lies: `user` (the request is impossible), `config` (a document is wrong), `provider`, `node`,
 * `service` (it failed on its own), `transient` (try again), `internal` (a bug in Overworld).
 */
export type ErrorCategory = 'user' | 'config' | 'provider' | 'node' | 'service' | 'transient' | 'internal';

interface ErrorSpec<D> {
  readonly category: ErrorCategory;
  /**
   * Whether the same call may succeed later, because the cause disappears by itself or a person removes it. If so, a
   * program may repeat the call unchanged.
   */
  readonly retry: boolean;
  /**
   * Returns the message for people: what happened, to what, why, and what to do. One or two sentences, shown
   * unchanged.
   */
  readonly sentence: (details: D) => string;
}

/**
 * Defines one error code.
 *
 * @param sentence returns the sentence for people, from the details of an error
 * @param retry whether the same call may succeed later without a change of the call
 */
export function code<D extends object>(
  category: ErrorCategory,
  sentence: (details: D) => string,
  retry = false,
): ErrorSpec<D> {
  return { category, retry, sentence };
}
