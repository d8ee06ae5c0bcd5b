import { exponentialDelayMs } from '#shared/backoff.ts';
import type { Market } from '#master/core/snapshot/snapshot.ts';
import type { ApiProblem } from './api/api-problem.ts';
import type { Failure } from './journal.ts';
import type { ProviderTimes } from './options.ts';

type Pause = NonNullable<Market['paused']>;

/** Maximum factor by which a delay that doubles each time may grow. */
const MAX_TIMES_LONGER = 12;

/** Number of machines per hour that may fail to become ready before ordering is paused. */
export const MAX_FAILURES_PER_HOUR = 3;

const HOUR_MS = 3_600_000;

/** Recent refusals of the provider: sold-out pairs of type and location, and refusals that concern all orders. */
export class OrderRejections {
  readonly #times: Pick<ProviderTimes, 'soldOut'>;
  readonly #pairs = new Map<string, { until: number; times: number }>();
  #pause: (Pause & { readonly token: string }) | null = null;

  constructor(times: Pick<ProviderTimes, 'soldOut'>) {
    this.#times = times;
  }

  /**
   * Excludes a pair of type and location from orders after it was sold out or unusable: for `times.soldOut` ms at
   * first, twice as long after each further refusal, at most 12 times as long. If the next refusal comes more than an
   * hour after the exclusion has ended, the time is `times.soldOut` again.
   *
   * @param now ms since epoch
   */
  avoid(type: string, location: string, now: number): void {
    const key = `${type}@${location}`;
    const before = this.#pairs.get(key);
    // After an hour without a refusal, the time starts from its shortest value again.
    const times = before === undefined || now - before.until > HOUR_MS ? 1 : before.times + 1;
    const { soldOut: firstMs } = this.#times;
    const delayMs = exponentialDelayMs(times - 1, { firstMs, maxMs: firstMs * MAX_TIMES_LONGER });
    this.#pairs.set(key, { until: now + delayMs, times });
  }

  /** Allows orders of a pair of type and location again, after a node of this pair has become ready. */
  allow(type: string, location: string): void {
    this.#pairs.delete(`${type}@${location}`);
  }

  /**
   * Returns until when a pair of type and location is excluded from orders (ms since epoch; may be past); null if it
   * was never excluded or is allowed again.
   */
  soldOutUntil(type: string, location: string): number | null {
    return this.#pairs.get(`${type}@${location}`)?.until ?? null;
  }

  /**
   * Pauses ordering.
   *
   * @param message why ordering is paused, for users
   * @param token the refused token; the pause ends when another token is set
   * @param until end of the pause (ms since epoch)
   */
  pause(message: string, token: string, until: number): void {
    this.#pause = { message, until, token };
  }

  /** Called when the provider has accepted an order. Ends the pause. */
  resume(): void {
    this.#pause = null;
  }

  /**
   * Returns why ordering is paused, and until when; null if ordering is not paused. A pause applies only to the token
   * for which it was set.
   *
   * @param failures nodes that did not become ready; too many within an hour pause ordering, too
   * @param token current token
   * @param now ms since epoch
   */
  paused(failures: readonly Failure[], token: string, now: number): Pause | null {
    if (this.#pause !== null && this.#pause.token === token && (this.#pause.until ?? 0) > now) {
      const { message, until } = this.#pause;
      return { message, until };
    }
    return pauseAfterFailures(failures, now);
  }
}

function pauseAfterFailures(failures: readonly Failure[], now: number): Pause | null {
  const recent = failures.filter(({ at }) => at > now - HOUR_MS && at <= now).sort((a, b) => a.at - b.at);
  const [first] = recent.slice(-MAX_FAILURES_PER_HOUR);
  const last = recent.at(-1);
  if (recent.length < MAX_FAILURES_PER_HOUR || first === undefined || last === undefined) return null;
  return {
    message: `No node is ordered for a while: ${recent.length} did not become ready within the last hour, the last one (${last.node}) because: ${last.why}. Each costs money for an hour; check provider.server_port, the firewall between master and nodes, and the master's network.`,
    until: first.at + HOUR_MS,
  };
}

/** Consequence of a refused order: the message in the app and the handling of the next order. */
export interface Rejection {
  /**
   * Which orders the refusal concerns. `pair`: only orders of this pair of type and location. `all`: all orders.
   * `moment`: all orders, but the problem is temporary.
   */
  readonly scope: 'pair' | 'all' | 'moment';
  readonly why: string;
  readonly advice: string;
}

/**
 * Returns what a refusal by the provider concerns (a pair of type and location, or all orders), why it was refused,
 * and what to do. The result depends only on the code of the problem (docs/adr/0018).
 *
 * Example: `resource_unavailable` has the scope `pair`, `unauthorized` the scope `all`.
 *
 * @param pair such as `cpx22 in nbg1`
 */
export function toRejection(problem: ApiProblem, pair: string): Rejection {
  const is = (...codes: readonly string[]): boolean => codes.includes(problem.code);
  if (is('resource_unavailable', 'placement_error')) {
    return {
      scope: 'pair',
      why: `it has no ${pair} at the moment`,
      advice:
        'Another type is tried if one is allowed and large enough. A shorter server_type prefix or another location allows more types.',
    };
  }
  if (is('resource_limit_exceeded')) {
    return {
      scope: 'all',
      why: `the account's limit is reached: ${problem.message}`,
      advice: 'Ask the provider for a higher limit, or delete what is not needed in its console.',
    };
  }
  if (is('unauthorized', 'token_readonly', 'forbidden')) {
    return {
      scope: 'all',
      why: `the API token is not permitted to order servers: ${problem.message}`,
      advice: 'Set provider.api_token to a token with read and write rights.',
    };
  }
  if (is('maintenance', 'unavailable')) {
    return {
      scope: 'all',
      why: `its ordering is closed for maintenance: ${problem.message}`,
      advice: 'It is retried automatically.',
    };
  }
  // Resources that the order refers to may have been deleted by hand since they were looked up.
  if (is('rate_limit_exceeded', 'conflict', 'locked', 'not_found')) {
    return {
      scope: 'moment',
      why: `it does not accept orders at the moment: ${problem.message}`,
      advice: 'It is retried automatically.',
    };
  }
  return {
    scope: 'pair',
    why: `${problem.message} (${problem.code})`,
    advice: `Other types than ${pair} are tried; check the provider's console if this continues.`,
  };
}
