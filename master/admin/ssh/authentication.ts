import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';
import type { AuthorizedKey } from '#shared/model/role.ts';
import type { KeyStore } from '../keys.ts';

/** Keys that one connection may offer before it is cut; as many as OpenSSH's MaxAuthTries. */
const MAX_TRIES = 6;

/** What became of one attempt. `probe`: the client asked whether it may use a key and has not proven it yet. */
export type AuthResult =
  | { readonly kind: 'accepted'; readonly key: AuthorizedKey }
  | { readonly kind: 'probe' }
  | { readonly kind: 'refused'; readonly last: boolean };

/**
 * Checks the login attempts of one connection: public keys only (RFC 4252 section 7), any user name, as the key
 * says who it is. Tells the client the outcome, except after the last attempt, where the caller cuts the line.
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
    // "none" is how clients ask for the list of methods; it costs nothing.
    if (context.method !== 'none') this.#tries += 1;
    const last = this.#tries >= MAX_TRIES;
    if (!last) context.reject(['publickey']);
    return { kind: 'refused', last };
  }
}

function isProven({ key, signature, blob, hashAlgo }: PublicKeyAuthContext): boolean {
  if (signature === undefined || blob === undefined) return false;
  // Without a hash name an RSA signature is SHA-1 (`ssh-rsa`), which OpenSSH refuses since 8.8.
  if (key.algo === 'ssh-rsa' && hashAlgo === undefined) return false;
  const parsed = ssh2.utils.parseKey(`${key.algo} ${key.data.toString('base64')}`);
  if (parsed instanceof Error) return false;
  // The library returns an Error, not false, when the signature cannot be checked at all.
  const verdict: unknown = parsed.verify(blob, signature, hashAlgo);
  return verdict === true;
}
