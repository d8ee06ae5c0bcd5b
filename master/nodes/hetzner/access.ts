import { createHash } from 'node:crypto';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { ApiProblem } from './api/api-problem.ts';
import { HetznerApi } from './api/hetzner-api.ts';
import type { MachinesOptions, Times } from './options.ts';

/** The API with the token of this moment: an admin may replace it while the master runs. */
export class Access {
  readonly #options: Pick<MachinesOptions, 'settings' | 'baseUrl' | 'log'>;
  readonly #times: Times;
  /** By token: what is under way ends with the one it began with. */
  readonly #apis = new Map<string, HetznerApi>();
  #closed = false;

  constructor(options: Pick<MachinesOptions, 'settings' | 'baseUrl' | 'log'>, times: Times) {
    this.#options = options;
    this.#times = times;
  }

  get token(): string {
    return this.#options.settings().provider.api_token.trim();
  }

  /** False while it is the placeholder, or holds what no header takes. */
  get isUsable(): boolean {
    return this.token !== NO_API_TOKEN && /^[\x21-\x7e]+$/.test(this.token);
  }

  /** Tells this token from another without telling it. */
  get mark(): string {
    return createHash('sha256').update(this.token).digest('hex').slice(0, 16);
  }

  /** @throws ApiProblem `no_token` while there is no usable one; `closed` */
  readonly api = (): HetznerApi => {
    const { token } = this;
    if (!this.isUsable) {
      throw new ApiProblem('no API token is set', { outcome: 'refused', code: 'no_token' });
    }
    if (this.#closed) throw new ApiProblem('the master ends', { outcome: 'unknown', code: 'closed' });
    let api = this.#apis.get(token);
    if (api === undefined) {
      const { baseUrl, log } = this.#options;
      const { request: timeoutMs, retry: retryMs } = this.#times;
      api = new HetznerApi({ token, baseUrl, timeoutMs, retryMs, log });
      this.#apis.set(token, api);
    }
    return api;
  };

  /** Ends what is under way. */
  close(): void {
    this.#closed = true;
    for (const api of this.#apis.values()) api.requester.close();
  }
}
