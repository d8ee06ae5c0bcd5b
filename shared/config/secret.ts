/** What stands for a secret outside of the master. Sent back, it means: keep the stored one. */
export const SECRET_MASK = '••••';

/** `provider.api_token` before anybody set one (docs/specification.md#provider): no secret, and shown as it is. */
export const NO_API_TOKEN = '<API_TOKEN>';

/** A provider's token is 64 letters and digits in one piece; no value of ours that is not a secret is nearly as long. */
const LIKE_A_TOKEN = /[A-Za-z0-9_-]{40,}/g;

/** Hides what looks like a token, wherever somebody put it by mistake. */
export function hideTokens(text: string): string {
  return text.replace(LIKE_A_TOKEN, SECRET_MASK);
}
