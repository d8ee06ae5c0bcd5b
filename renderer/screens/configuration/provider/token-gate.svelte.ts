import { SECRET_MASK } from '#shared/config/secret.ts';
import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { isToken, providerTest } from '../../../stores/provider-test.svelte.ts';
import type { FieldInput } from '../../../view/form/form-model.ts';

/** Tests a new API token before it is saved, and asks the person if it did not pass. */
export class TokenGate {
  /** Why the token did not pass. Null while there is nothing to decide. */
  problem = $state.raw<OverworldError | null>(null);
  readonly #input: () => FieldInput | undefined;
  #decide: ((save: boolean) => void) | null = null;

  /** @param input returns the token in the form */
  constructor(input: () => FieldInput | undefined) {
    this.#input = input;
  }

  /** Returns whether the configuration may be saved: it has no new token, the token passed its test, or a person insists. */
  readonly allow = async (): Promise<boolean> => {
    const token = this.#input();
    // A mask stands for a token that the master has already: the stored one, or one in a faulty file.
    if (typeof token !== 'string' || token.startsWith(SECRET_MASK) || !isToken(token)) return true;
    if (providerTest.hasPassed(token) || (await providerTest.test(token))) return true;
    const { error } = providerTest;
    if (error === null) return false;
    return new Promise((resolve) => {
      this.problem = error;
      this.#decide = resolve;
    });
  };

  /** Answers {@link allow}. @param save whether to save the token nevertheless */
  readonly decide = (save: boolean): void => {
    this.problem = null;
    this.#decide?.(save);
    this.#decide = null;
  };
}
