import { NO_API_TOKEN, SECRET_MASK } from '#shared/config/secret.ts';
import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import { call } from '../bridge/bridge.ts';

/**
 * The last test of an API token: of the token in the form, or of the stored token. The token itself stays in the
 * form. The window sends it only to the master.
 */
class ProviderTest {
  busy = $state(false);
  /** The provider's project to which the token gives access. Null before the first successful test. */
  project = $state.raw<ProviderProject | null>(null);
  /** Why the last test failed. Null if it succeeded. */
  error = $state.raw<OverworldError | null>(null);
  /** The tested token as in the form: a typed token, or the mask of the stored token. Null if no token was tested. */
  #tested = $state.raw<string | null>(null);
  #run = 0;

  /** Returns whether this token has passed its test. */
  readonly hasPassed = (token: string): boolean => this.#tested === token && this.error === null;

  /** Returns whether the last test was a test of this token. */
  readonly isAbout = (token: string): boolean => this.#tested === token;

  /**
   * Tests a token.
   *
   * @param token the token as in the form; the mask stands for the stored token
   * @returns whether the token may order servers; false also if another test was started in the meantime
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

  /** Records that the tested token was stored. From now on, the form shows the mask of the token. */
  readonly stored = (token: string): void => {
    if (this.#tested === token) this.#tested = SECRET_MASK;
  };

  /** Drops the result of the last test. The result of a test that is still running will be ignored. */
  readonly forget = (): void => {
    this.#run += 1;
    this.busy = false;
    this.project = null;
    this.error = null;
    this.#tested = null;
  };
}

/** Returns whether a field contains a token, either typed or stored. */
export function isToken(token: string): boolean {
  return token !== '' && token !== NO_API_TOKEN;
}

export const providerTest = new ProviderTest();
