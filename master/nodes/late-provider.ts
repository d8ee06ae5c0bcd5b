import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeInfo, Provider, Rents, Supply } from './provider.ts';

/**
 * A provider that opens only when it is needed: what it takes (a client of the provider's API, SSH) need not be read by
 * a master that rents nothing. Until then it has no nodes and rents none.
 */
export class LateProvider implements Provider {
  readonly #isNeeded: () => boolean;
  readonly #open: () => Promise<Provider>;
  #inner: Provider | null = null;
  #problem: string | null = null;

  /**
   * @param isNeeded asked at each refresh until it is
   * @param open called once; tried again at the next refresh when it fails
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
        // Other nodes go on; nothing is rented without knowing what is rented already.
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
