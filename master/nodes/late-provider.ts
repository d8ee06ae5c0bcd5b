import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeInfo, Provider, Rents, Supply } from './provider.ts';

/**
 * Provider that is opened only when it is needed, so that a master without cloud nodes does not load the API client
 * and SSH. Until then it has no nodes and sells none.
 */
export class LateProvider implements Provider {
  readonly #isNeeded: () => boolean;
  readonly #open: () => Promise<Provider>;
  #inner: Provider | null = null;
  #problem: string | null = null;

  /**
   * @param isNeeded called at each refresh until it returns true
   * @param open called once; repeated at the next refresh if it fails
   */
  constructor(isNeeded: () => boolean, open: () => Promise<Provider>) {
    this.#isNeeded = isNeeded;
    this.#open = open;
  }

  nodes(): readonly NodeInfo[] {
    return this.#inner?.nodes() ?? [];
  }

  async refresh(): Promise<void> {
    if (this.#inner === null && this.#isNeeded()) {
      try {
        this.#inner = await this.#open();
        this.#problem = null;
      } catch (error) {
        // Other nodes continue to work; nothing is ordered while the existing cloud nodes are unknown.
        this.#problem = toOverworldError(error).message;
      }
    }
    await this.#inner?.refresh();
  }

  listed(): boolean {
    return this.#inner === null ? !this.#isNeeded() : this.#inner.listed();
  }

  trouble(): string | null {
    return this.#inner?.trouble() ?? this.#problem;
  }

  market(): Supply | null {
    return this.#inner?.market() ?? null;
  }

  get rents(): Rents | null {
    return this.#inner?.rents ?? null;
  }
}
