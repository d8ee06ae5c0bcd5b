import type { MasterConfig } from '#shared/config/master.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import type { Offer } from '#master/core/snapshot/snapshot.ts';

/** A project of the provider as a token reaches it. */
export interface TestedProject {
  readonly project: ProviderProject;
  /** Returns the project's offers for the planner, with the same rules for the stock as the offers in use. */
  readonly offers: (rules: MasterConfig['provider']) => readonly Offer[];
}

/** Tests API tokens, which need not be stored, and reads what their projects offer. */
export interface ProviderProjects {
  /**
   * Tests a token. Changes nothing at the provider.
   *
   * @param age `fresh` if an answer that is in memory must not be used
   * @throws OverworldError PROVIDER_TOKEN_INVALID, PROVIDER_TOKEN_READ_ONLY, PROVIDER_BUSY, PROVIDER_TEST_FAILED
   */
  test(token: string, age?: 'fresh'): Promise<TestedProject>;
}
