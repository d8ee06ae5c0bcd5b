import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import type { KeyStore } from '../keys.ts';
import { isSecurityKeyType, parseSecurityKey, verifySecurityKey } from '../security-key.ts';

/** Maximum number of keys that one connection may offer, the same as OpenSSH's MaxAuthTries. */
const MAX_TRIES = 6;

/**
 * Result of one login attempt. `probe`: the client asked whether it may use a key, but has not proven that it has
 * the private key. `last`: no attempts are left, so the caller must close the connection.
 */
export type AuthResult =
  | { readonly kind: 'accepted'; readonly key: AuthorizedKey }
  | { readonly kind: 'probe' }
  | { readonly kind: 'refused'; readonly last: boolean };

/**
 * Checks the login attempts of one connection. Accepts public keys only (RFC 4252 section 7). Any user name is
 * accepted, because the key identifies the person. Reports the result to the client, except after the last attempt,
 * when the caller closes the connection.
 */
export class Authentication {
  readonly #keys: KeyStore;
  #tries = 0;

  constructor(keys: KeyStore) {
    this.#keys = keys;
  }

  attempt(context: AuthContext): AuthResult {
    if (context.method === 'publickey') {
      const key = this.#keys.find(context.key.data);
      if (key !== undefined && context.signature === undefined) {
        context.accept();
        return { kind: 'probe' };
      }
      if (key !== undefined && isProven(context)) return { kind: 'accepted', key };
    }
    // Clients use "none" to ask for the list of methods, so it does not count as an attempt.
    if (context.method !== 'none') this.#tries += 1;
    const last = this.#tries >= MAX_TRIES;
    if (!last) context.reject(['publickey']);
    return { kind: 'refused', last };
  }
}

function isProven({ key, signature, blob, hashAlgo }: PublicKeyAuthContext): boolean {
  if (signature === undefined || blob === undefined) return false;
  // The SSH library does not know security keys. It passes on what follows the name of the algorithm.
  if (isSecurityKeyType(key.algo)) {
    const securityKey = parseSecurityKey(key.data);
    return securityKey?.type === key.algo && verifySecurityKey(securityKey, blob, signature);
  }
  // Without the name of a hash, an RSA signature uses SHA-1 (`ssh-rsa`), which OpenSSH has refused since 8.8.
  if (key.algo === 'ssh-rsa' && hashAlgo === undefined) return false;
  const parsed = ssh2.utils.parseKey(`${key.algo} ${key.data.toString('base64')}`);
  if (parsed instanceof Error) return false;
  // The library returns an Error, not false, if it cannot check the signature at all.
  const verdict: unknown = parsed.verify(blob, signature, hashAlgo);
  return verdict === true;
}
