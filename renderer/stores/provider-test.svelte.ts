import { NO_API_TOKEN, SECRET_MASK } from '#shared/config/secret.ts';
import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ProviderProject } from '#shared/model/provider.ts';
import { call } from '../bridge/bridge.ts';
import { masterConfig } from './documents/master-config.svelte.ts';

/** What was tested, and when. */
interface Tested {
  /** The token as in the form: a typed token, or the mask of the stored token. */
  readonly token: string;
  /** Revision of the saved configuration when the test began. Null if the configuration was not known. */
  readonly revision: string | null;
  /** Time at which the test began (ms since epoch). */
  readonly at: number;
}

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
  /** Null if no token was tested. */
  #tested = $state.raw<Tested | null>(null);
  #run = 0;

  /** When the last test began (ms since epoch). Null if no token was tested. */
  get testedAt(): number | null {
    return this.#tested?.at ?? null;
  }

  /** Returns whether this token has passed its test. */
  readonly hasPassed = (token: string): boolean => this.isAbout(token) && this.error === null;

  /** Returns whether the last test was a test of this token. */
  readonly isAbout = (token: string): boolean => this.#tested?.token === token;

  /**
   * Returns whether the last test was a test of the stored token. False if the saved configuration has changed since
   * then, because another owner may have stored another token.
   *
   * @param outdated time of a test that does not count (ms since epoch), as in {@link testedAt}
   */
  readonly isAboutStored = (outdated: number | null): boolean =>
    this.#tested !== null &&
    this.#tested.token === SECRET_MASK &&
    this.#tested.revision === savedRevision() &&
    this.#tested.at !== outdated;

  /**
   * Tests a token.
   *
   * @param token the token as in the form; the mask stands for the stored token
   * @returns whether the token may order servers; false also if another test was started in the meantime
   */
  readonly test = async (token: string): Promise<boolean> => {
    this.#run += 1;
    const run = this.#run;
    const tested: Tested = { token, revision: savedRevision(), at: Date.now() };
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
    this.#tested = tested;
    return error === null;
  };

  /**
   * Records that the tested token was stored. From now on, the form shows the mask of the token.
   *
   * @param revision revision of the configuration with the stored token
   */
  readonly stored = (token: string, revision: string): void => {
    if (this.#tested?.token === token) this.#tested = { token: SECRET_MASK, revision, at: this.#tested.at };
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

function savedRevision(): string | null {
  return masterConfig.value?.configRevision ?? null;
}

/** Returns whether a field contains a token, either typed or stored. */
export function isToken(token: string): boolean {
  return token !== '' && token !== NO_API_TOKEN;
}

export const providerTest = new ProviderTest();
