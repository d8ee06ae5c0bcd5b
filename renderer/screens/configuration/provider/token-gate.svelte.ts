import { SECRET_MASK } from '#shared/config/secret.ts';
import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { isToken, providerTest } from '../../../stores/provider-test.svelte.ts';
import type { FieldInput } from '../../../view/form/form-model.ts';

/**
 * Tests a new API token before it is saved. If the token fails the test, asks the person whether to save it
 * nevertheless.
 */
export class TokenGate {
  /** Why the token failed the test. Null while there is no question to answer. */
  problem = $state.raw<OverworldError | null>(null);
  readonly #input: () => FieldInput | undefined;
  #decide: ((save: boolean) => void) | null = null;

  /** @param input returns the token in the form */
  constructor(input: () => FieldInput | undefined) {
    this.#input = input;
  }

  /**
   * Returns whether the configuration may be saved: it contains no new token, the new token passed its test, or the
   * person decided to save it nevertheless.
   */
  readonly allow = async (): Promise<boolean> => {
    const token = this.#input();
    // A mask stands for a token that the master already has: the stored token, or the token in a faulty file.
    if (typeof token !== 'string' || token.startsWith(SECRET_MASK) || !isToken(token)) return true;
    if (providerTest.hasPassed(token) || (await providerTest.test(token))) return true;
    const { error } = providerTest;
    if (error === null) return false;
    return new Promise((resolve) => {
      this.problem = error;
      this.#decide = resolve;
    });
  };

  /** Answers the question that {@link allow} asks. @param save whether to save the token nevertheless */
  readonly decide = (save: boolean): void => {
    this.problem = null;
    this.#decide?.(save);
    this.#decide = null;
  };
}
