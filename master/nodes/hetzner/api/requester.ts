import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import hcloud, { type Client } from 'hcloud-js';
import type { z } from 'zod';
import { ApiProblem, describeProblem } from './api-problem.ts';
import { RateBudget } from './rate-budget.ts';
import { isWorthRetrying, MAX_TRIES, retryDelayMs } from './retry.ts';
import { openClient, wrappedDetails } from './shim.ts';

export interface RequesterOptions {
  readonly token: string;
  readonly baseUrl: string | undefined;
  /** Time limit of one request (ms). */
  readonly timeoutMs: number;
  /** Delay before the second attempt (ms). */
  readonly retryMs: number;
  readonly log: { warn(details: object, message: string): void };
}

export interface Request<T> {
  /** Description for the log, such as `create server ow-1234abcd-node-3`. */
  readonly what: string;
  /** Whether the request is idempotent. */
  readonly isRepeatable: boolean;
  /**
   * Called before each attempt. Returns an error with the reason why the request must not be sent; null if it may be
   * sent.
   */
  readonly check?: () => Error | null;
  readonly send: (client: Client) => Promise<unknown>;
  readonly schema: z.ZodType<T>;
  /** Maximum number of attempts; default {@link MAX_TRIES}. */
  readonly maxTries?: number;
}

/** Sends requests through hcloud-js, parses every answer, retries where it helps, and never reveals the token. */
export class Requester {
  readonly budget = new RateBudget();
  readonly #client: Client;
  readonly #options: RequesterOptions;
  readonly #closing = new AbortController();

  constructor(options: RequesterOptions) {
    this.#options = options;
    // Each request and wait in progress adds a listener, so a warning about too many listeners would be wrong.
    setMaxListeners(0, this.#closing.signal);
    this.#client = openClient({
      token: options.token,
      baseUrl: options.baseUrl,
      timeoutMs: options.timeoutMs,
      budget: this.budget,
      signal: this.#closing.signal,
    });
  }

  /** Aborts requests in progress and rejects further requests. The outcome of the aborted requests is unknown. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Sends a request and parses the answer. Retries the request after a temporary failure, with at most `maxTries`
   * attempts in all. A request that is not repeatable is retried only if the provider did nothing. Calls `check`
   * before each attempt.
   *
   * @throws ApiProblem after the last attempt; or the error that `check` returned
   */
  async send<T>(request: Request<T>): Promise<T> {
    const { log, retryMs } = this.#options;
    const { what, maxTries = MAX_TRIES } = request;
    for (let tries = 1; ; tries += 1) {
      const refusal = request.check?.() ?? null;
      if (refusal !== null) throw refusal;
      try {
        return this.#parse(await request.send(this.#client), request.schema);
      } catch (thrown) {
        const problem = toProblem(thrown);
        if (this.#closing.signal.aborted) throw problem;
        const isLast = tries >= maxTries || !isWorthRetrying(problem, request.isRepeatable);
        const { code, status, correlation } = problem;
        // "Not found" is a regular answer.
        if (code !== 'not_found') {
          const why = problem.message;
          log.warn({ what, tries, code, status, correlation, why }, 'a request to the provider failed');
        }
        if (isLast) throw problem;
        await this.pause(retryDelayMs(tries, retryMs, Math.random()));
      }
    }
  }

  /** Waits for `ms` milliseconds. @throws ApiProblem if closed during the wait */
  async pause(ms: number): Promise<void> {
    try {
      await wait(ms, undefined, { signal: this.#closing.signal });
    } catch {
      throw closedProblem();
    }
  }

  #parse<T>(answer: unknown, schema: z.ZodType<T>): T {
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    throw new ApiProblem(`the answer cannot be read at "${place}": ${issue?.message ?? ''}`, {
      outcome: 'unknown',
      code: 'unreadable',
    });
  }
}

function closedProblem(): ApiProblem {
  return new ApiProblem('the master is shutting down', { outcome: 'unknown', code: 'closed' });
}

/**
 * Converts an error of a request to an {@link ApiProblem}. Copies only code and message, because errors of axios
 * contain the token in their headers.
 */
function toProblem(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  if (thrown instanceof hcloud.APIError) {
    const wrapped = wrappedDetails.safeParse(thrown.details);
    const status = wrapped.success ? wrapped.data.status : null;
    return new ApiProblem(String(thrown.message), {
      // After a status of 5xx, it is unknown what the provider did before the error.
      outcome: status !== null && status < 500 ? 'refused' : 'unknown',
      code: String(thrown.code),
      status,
      correlation: wrapped.success ? wrapped.data.correlation : null,
    });
  }
  return new ApiProblem(describeProblem(thrown), { outcome: 'unknown', code: 'network' });
}
