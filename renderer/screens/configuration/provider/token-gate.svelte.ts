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
  #question: { readonly answer: (save: boolean) => void; readonly end: () => void } | null = null;
  #closed = false;

  /** @param input returns the token in the form */
  constructor(input: () => FieldInput | undefined) {
    this.#input = input;
  }

  /**
   * Returns whether the configuration may be saved: it contains no new token, the new token passed its test, or the
   * person decided to save it nevertheless. If the page is closed before the person decides, throws the error of the
   * test.
   */
  readonly allow = async (): Promise<boolean> => {
    const token = this.#input();
    // A mask stands for a token that the master already has: the stored token, or the token in a faulty file.
    if (typeof token !== 'string' || token.startsWith(SECRET_MASK) || !isToken(token)) return true;
    if (providerTest.hasPassed(token) || (await providerTest.test(token))) return true;
    const { error } = providerTest;
    if (error === null) return false;
    if (this.#closed) throw error;
    return new Promise((answer, end) => {
      this.problem = error;
      this.#question = { answer, end: () => end(error) };
    });
  };

  /** Answers the question that {@link allow} asks. @param save whether to save the token nevertheless */
  readonly decide = (save: boolean): void => {
    this.problem = null;
    this.#question?.answer(save);
    this.#question = null;
  };

  /** Notes that the page was closed, which takes away the question. */
  readonly close = (): void => {
    this.#closed = true;
    this.#question?.end();
  };
}
