/**
 * Who has to act: `user` (asked for something impossible), `config` (a document is wrong), `provider`, `node`,
 * `service` (it failed by itself), `transient` (try again), `internal` (our mistake).
 */
export type ErrorCategory = 'user' | 'config' | 'provider' | 'node' | 'service' | 'transient' | 'internal';

interface ErrorSpec<D> {
  readonly category: ErrorCategory;
  /** True: the same call may succeed later without anybody changing anything. */
  readonly retry: boolean;
  /** What happened, to what, why, and what to do; one or two sentences, shown as they are. */
  readonly sentence: (details: D) => string;
}

/** One line of the list. */
export function code<D extends object>(
  category: ErrorCategory,
  sentence: (details: D) => string,
  retry = false,
): ErrorSpec<D> {
  return { category, retry, sentence };
}
