import { createHash } from 'node:crypto';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { orderLocations } from '#shared/config/order-locations.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ProviderProjects, TestedProject } from '#master/nodes/provider-projects.ts';
import { describeProblem, isProblem } from '../api/api-problem.ts';
import { HetznerApi } from '../api/hetzner-api.ts';
import type { RequesterOptions } from '../api/requester.ts';
import { toOffers } from '../offers.ts';
import { toProject } from './to-project.ts';

/** Time for which the answer for a token is cached (ms). A test takes six requests. */
const ANSWER_AGE_MS = 60_000;

/** Maximum number of tokens whose answers are in memory. */
const MAX_TOKENS = 8;

/**
 * Time limit of one request (ms). {@link RETRY_MS} is the delay before the request is repeated (ms). Both are short
 * because a person is waiting.
 */
const TIMEOUT_MS = 10_000;
const RETRY_MS = 500;

export interface TestedProjectsOptions extends Pick<RequesterOptions, 'baseUrl' | 'log'> {
  /** Id of this network. */
  readonly cluster: string;
  /** Returns the current time (ms since epoch). */
  readonly now: () => number;
  /** Monotonic clock (ms). */
  readonly clock?: () => number;
}

/**
 * Tests API tokens of Hetzner. The answers are cached in memory by the hash of the token; the tokens themselves are
 * not stored.
 */
export class TestedProjects implements ProviderProjects {
  readonly #options: TestedProjectsOptions;
  readonly #clock: () => number;
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Promise<TestedProject> }>();

  constructor(options: TestedProjectsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? monotonicMs;
  }

  /**
   * Implements `ProviderProjects.test`. The answers for the last 8 tokens are cached for 60 s each; `fresh` ignores
   * the cache. Each request to the provider takes at most 10 s.
   */
  async test(token: string, age?: 'fresh'): Promise<TestedProject> {
    const trimmed = token.trim();
    requireUsable(trimmed);
    const key = createHash('sha256').update(trimmed).digest('hex');
    const known = this.#answers.get(key);
    if (age !== 'fresh' && known !== undefined && this.#clock() - known.at < ANSWER_AGE_MS)
      return known.answer;
    const answer = this.#read(trimmed);
    this.#answers.delete(key);
    this.#answers.set(key, { at: this.#clock(), answer });
    if (this.#answers.size > MAX_TOKENS) this.#answers.delete(this.#answers.keys().next().value ?? key);
    try {
      return await answer;
    } catch (error) {
      // A failure is not kept, so that the next test asks again.
      if (this.#answers.get(key)?.answer === answer) this.#answers.delete(key);
      throw error;
    }
  }

  async #read(token: string): Promise<TestedProject> {
    const { baseUrl, log, cluster, now } = this.#options;
    const api = new HetznerApi({
      token,
      baseUrl,
      log,
      timeoutMs: TIMEOUT_MS,
      retryMs: RETRY_MS,
    });
    try {
      await api.requireWriteAccess();
      const [types, ipv4, locations, keys, servers] = await Promise.all([
        api.serverTypes(),
        api.ipv4Prices(),
        api.locations(),
        api.sshKeys(),
        api.allServers(),
      ]);
      const readAt = now();
      const { requests } = api.requester.budget;
      return {
        project: toProject({ types, ipv4, locations, keys, servers, requests, readAt }, cluster),
        offers: (rules) =>
          toOffers(types, {
            now: now(),
            ipv4Prices: ipv4,
            soldOutUntil: () => null,
            freshUntil: readAt + ANSWER_AGE_MS,
            isWanted: (type, place) =>
              orderLocations(rules).includes(place) &&
              type.startsWith(rules.server_type) &&
              !rules.blocked_servers.includes(type),
          }),
      };
    } catch (error) {
      throw toTestError(error);
    } finally {
      api.requester.close();
    }
  }
}

/** @throws OverworldError PROVIDER_TOKEN_MISSING, PROVIDER_TOKEN_INVALID */
function requireUsable(token: string): void {
  if (token === '' || token === NO_API_TOKEN) {
    throw new OverworldError('PROVIDER_TOKEN_MISSING', { field: 'provider.api_token' });
  }
  // Other characters cannot be sent in a header.
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new OverworldError('PROVIDER_TOKEN_INVALID', {
    why: 'it contains spaces or other characters that no token has',
  });
}

function toTestError(error: unknown): OverworldError {
  if (isProblem(error, 'token_readonly', 'forbidden')) {
    return new OverworldError('PROVIDER_TOKEN_READ_ONLY', { why: error.message }, error);
  }
  if (isProblem(error, 'unauthorized')) {
    return new OverworldError('PROVIDER_TOKEN_INVALID', { why: 'the provider does not know it' }, error);
  }
  if (isProblem(error, 'rate_limit_exceeded')) {
    return new OverworldError('PROVIDER_BUSY', { why: error.message }, error);
  }
  return new OverworldError('PROVIDER_TEST_FAILED', { why: describeProblem(error) }, error);
}
