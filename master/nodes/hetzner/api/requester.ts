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
  /** One request, ms. */
  readonly timeoutMs: number;
  /** Wait before the second try, ms. */
  readonly retryMs: number;
  readonly log: { warn(details: object, message: string): void };
}

export interface Request<T> {
  /** For the log: what is asked for, such as `create server ow-1234abcd-node-3`. */
  readonly what: string;
  /** Whether doing it twice is as good as once. */
  readonly isRepeatable: boolean;
  readonly send: (client: Client) => Promise<unknown>;
  readonly schema: z.ZodType<T>;
  /** Left out: {@link MAX_TRIES}. */
  readonly maxTries?: number;
}

/** Sends requests through hcloud-js: parses every answer, asks again where that helps, and leaks no token. */
export class Requester {
  readonly budget = new RateBudget();
  readonly #client: Client;
  readonly #options: RequesterOptions;
  readonly #closing = new AbortController();

  constructor(options: RequesterOptions) {
    this.#options = options;
    // One listener for each request and wait that is under way.
    setMaxListeners(0, this.#closing.signal);
    this.#client = openClient({
      token: options.token,
      baseUrl: options.baseUrl,
      timeoutMs: options.timeoutMs,
      budget: this.budget,
      signal: this.#closing.signal,
    });
  }

  /** Ends what is under way with an unknown outcome, and refuses what comes after. */
  close(): void {
    this.#closing.abort();
  }

  /** @throws ApiProblem after the last try */
  async send<T>(request: Request<T>): Promise<T> {
    const { log, retryMs } = this.#options;
    const { what, maxTries = MAX_TRIES } = request;
    for (let tries = 1; ; tries += 1) {
      try {
        return this.#parse(await request.send(this.#client), request.schema);
      } catch (thrown) {
        const problem = toProblem(thrown);
        if (this.#closing.signal.aborted) throw problem;
        const isLast = tries >= maxTries || !isWorthRetrying(problem, request.isRepeatable);
        const { code, status, correlation } = problem;
        // "There is none" is an answer.
        if (code !== 'not_found') {
          const why = problem.message;
          log.warn({ what, tries, code, status, correlation, why }, 'a request to the provider failed');
        }
        if (isLast) throw problem;
        await this.pause(retryDelayMs(tries, retryMs, Math.random()));
      }
    }
  }

  /** Waits. @throws ApiProblem when it is closed meanwhile */
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
  return new ApiProblem('the master ends', { outcome: 'unknown', code: 'closed' });
}

/** What axios throws holds the token in its headers: only code and message are taken over. */
function toProblem(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown;
  if (thrown instanceof hcloud.APIError) {
    const wrapped = wrappedDetails.safeParse(thrown.details);
    const status = wrapped.success ? wrapped.data.status : null;
    return new ApiProblem(String(thrown.message), {
      // 5xx says nothing about what was done before it went wrong.
      outcome: status !== null && status < 500 ? 'refused' : 'unknown',
      code: String(thrown.code),
      status,
      correlation: wrapped.success ? wrapped.data.correlation : null,
    });
  }
  return new ApiProblem(describeProblem(thrown), { outcome: 'unknown', code: 'network' });
}
