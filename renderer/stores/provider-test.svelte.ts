import { NO_API_TOKEN, SECRET_MASK } from '#shared/config/secret.ts';
import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import { call } from '../bridge/bridge.ts';

/**
 * The last test of an API token: the one in the form, or the stored one. The token itself stays in the form, and is sent
 * to the master only.
 */
class ProviderTest {
  busy = $state(false);
  /** What the token reaches. Null before the first successful test. */
  project = $state.raw<ProviderProject | null>(null);
  /** Why the last test failed. Null if it succeeded. */
  error = $state.raw<OverworldError | null>(null);
  /** What was tested: a typed token, or the mask of the stored one. Null if nothing was. */
  #tested = $state.raw<string | null>(null);
  #run = 0;

  /** Whether this token was tested with success. */
  readonly hasPassed = (token: string): boolean => this.#tested === token && this.error === null;

  /** Whether the result of the last test is about this token. */
  readonly isAbout = (token: string): boolean => this.#tested === token;

  /**
   * Tests a token.
   *
   * @param token as in the form: the mask stands for the stored one
   * @returns whether it may order servers. False also if another test was begun meanwhile
   */
  readonly test = async (token: string): Promise<boolean> => {
    this.#run += 1;
    const run = this.#run;
    this.busy = true;
    let project: ProviderProject | null = null;
    let error: OverworldError | null = null;
    try {
      project = await call('provider.test', { token: token === SECRET_MASK ? null : token });
    } catch (thrown) {
      error = toOverworldError(thrown);
    }
    if (run !== this.#run) return false;
    this.busy = false;
    this.project = project;
    this.error = error;
    this.#tested = token;
    return error === null;
  };

  /** Notes that a tested token was stored, so that the form shows its mask from now on. */
  readonly stored = (token: string): void => {
    if (this.#tested === token) this.#tested = SECRET_MASK;
  };

  /** Drops the result, and the one of a test that is running. */
  readonly forget = (): void => {
    this.#run += 1;
    this.busy = false;
    this.project = null;
    this.error = null;
    this.#tested = null;
  };
}

/** Returns whether a token is set, be it typed or stored. */
export function isToken(token: string): boolean {
  return token !== '' && token !== NO_API_TOKEN;
}

export const providerTest = new ProviderTest();
