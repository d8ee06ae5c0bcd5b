import ssh2 from 'ssh2';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import type { KeyStore } from '../keys.ts';
import { isSecurityKeyType, parseSecurityKey, verifySecurityKey } from '../security-key.ts';
import { isLoginRequest } from './login-request.ts';
import type { KeyOffer, KeyProof } from './ssh-backend.ts';

/** Result of {@link checkOffer}; see `OfferAnswer`. */
export type CheckedOffer =
  | { readonly kind: 'accepted'; readonly key: AuthorizedKey }
  | { readonly kind: 'probe' }
  | { readonly kind: 'refused' };

/**
 * Checks whether a key is authorized, and whether the client has the private key. Any user name is accepted, because
 * the key identifies the person.
 */
export function checkOffer(keys: Pick<KeyStore, 'find'>, offer: KeyOffer): CheckedOffer {
  const key = keys.find(offer.key);
  if (key === undefined) return { kind: 'refused' };
  if (offer.proof === null) return { kind: 'probe' };
  return isProven(offer, offer.proof) ? { kind: 'accepted', key } : { kind: 'refused' };
}

function isProven({ algorithm, key }: KeyOffer, { signature, signed, hash }: KeyProof): boolean {
  const signedAlgorithm = algorithmOfSignature(algorithm, hash);
  if (signedAlgorithm === null || !isLoginRequest(signed, { algorithm: signedAlgorithm, key })) return false;
  // The SSH library does not support hardware security keys. Of their signature, it passes on the bytes after the
  // name of the algorithm.
  if (isSecurityKeyType(algorithm)) {
    const securityKey = parseSecurityKey(key);
    return securityKey?.type === algorithm && verifySecurityKey(securityKey, signed, signature);
  }
  const parsed = ssh2.utils.parseKey(`${algorithm} ${key.toString('base64')}`);
  if (parsed instanceof Error) return false;
  // If the library cannot check the signature at all, it returns an Error instead of false.
  const verdict: unknown = parsed.verify(signed, signature, hash);
  return verdict === true;
}

/** Returns the name of the algorithm of a signature (RFC 8332). Null if the server does not accept this algorithm. */
function algorithmOfSignature(algorithm: string, hash: string | undefined): string | null {
  if (algorithm !== 'ssh-rsa') return hash === undefined ? algorithm : null;
  if (hash === 'sha256') return 'rsa-sha2-256';
  // If the client names no hash, an RSA signature uses SHA-1 (`ssh-rsa`), which OpenSSH has refused since 8.8.
  return hash === 'sha512' ? 'rsa-sha2-512' : null;
}
