import { createHash } from 'node:crypto';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { ApiProblem } from './api/api-problem.ts';
import { HetznerApi } from './api/hetzner-api.ts';
import type { MachinesOptions, ProviderTimes } from './options.ts';

/** Provides the API with the current token, which an admin may replace while the master runs. */
export class Access {
  readonly #options: Pick<MachinesOptions, 'settings' | 'baseUrl' | 'log'>;
  readonly #times: ProviderTimes;
  /** API clients by token. Requests in progress finish with the token with which they were started. */
  readonly #apis = new Map<string, HetznerApi>();
  #closed = false;

  constructor(options: Pick<MachinesOptions, 'settings' | 'baseUrl' | 'log'>, times: ProviderTimes) {
    this.#options = options;
    this.#times = times;
  }

  /** The current token (`provider.api_token`), without surrounding white space. */
  get token(): string {
    return this.#options.settings().provider.api_token.trim();
  }

  /** Whether a usable token is set: not the placeholder, and valid in an HTTP header. */
  get isUsable(): boolean {
    return this.token !== NO_API_TOKEN && /^[\x21-\x7e]+$/.test(this.token);
  }

  /** Hash of the token. It distinguishes tokens without revealing them. */
  get mark(): string {
    return createHash('sha256').update(this.token).digest('hex').slice(0, 16);
  }

  /**
   * Returns the API client for the current token.
   *
   * @throws ApiProblem `no_token` if no usable token is set; `closed` after {@link Access.close}
   */
  readonly api = (): HetznerApi => {
    const { token } = this;
    if (!this.isUsable) {
      throw new ApiProblem('no API token is set', { outcome: 'refused', code: 'no_token' });
    }
    if (this.#closed)
      throw new ApiProblem('the master is shutting down', { outcome: 'unknown', code: 'closed' });
    let api = this.#apis.get(token);
    if (api === undefined) {
      const { baseUrl, log } = this.#options;
      const { request: timeoutMs, retry: retryMs } = this.#times;
      api = new HetznerApi({ token, baseUrl, timeoutMs, retryMs, log });
      this.#apis.set(token, api);
    }
    return api;
  };

  /** Aborts requests in progress, and makes later ones fail. */
  close(): void {
    this.#closed = true;
    for (const api of this.#apis.values()) api.requester.close();
  }
}
