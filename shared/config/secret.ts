/**
 * Text that the master sends to clients in place of a secret. If a client sends this text back, the master keeps the
 * stored secret.
 */
export const SECRET_MASK = '••••';

/**
 * Value of `provider.api_token` before a token is set (docs/specification.md#provider). It is not a secret and is
 * shown.
 */
export const NO_API_TOKEN = '<API_TOKEN>';

/**
 * Matches strings that may be a provider token. A token has 64 letters and digits. All other values are much shorter.
 */
const LIKE_A_TOKEN = /[A-Za-z0-9_-]{40,}/g;

/**
 * Returns the text with each run of 40 or more letters, digits, `-` and `_` replaced by {@link SECRET_MASK}. Such a
 * run may be a provider token that was entered in the wrong field.
 */
export function hideTokens(text: string): string {
  return text.replace(LIKE_A_TOKEN, SECRET_MASK);
}
