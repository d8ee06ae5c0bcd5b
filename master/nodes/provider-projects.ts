import type { MasterConfig } from '#shared/config/master.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import type { Offer } from '#master/core/snapshot/snapshot.ts';

/** Answer to the test of an API token: the project to which the token gives access. */
export interface TestedProject {
  readonly project: ProviderProject;
  /**
   * Returns the project's offers for the planner, limited by `rules`. The provider's list decides which types are
   * sold out; refusals of earlier orders are not considered.
   */
  readonly offers: (rules: MasterConfig['provider']) => readonly Offer[];
}

/** Tests API tokens, which need not be stored, and reads what their projects offer. */
export interface ProviderProjects {
  /**
   * Tests a token. Changes nothing at the provider.
   *
   * @param age `fresh`: always asks the provider; otherwise a cached answer may be returned
   * @throws OverworldError PROVIDER_TOKEN_MISSING, PROVIDER_TOKEN_INVALID, PROVIDER_TOKEN_READ_ONLY, PROVIDER_BUSY,
   *   PROVIDER_TEST_FAILED
   */
  test(token: string, age?: 'fresh'): Promise<TestedProject>;
}
