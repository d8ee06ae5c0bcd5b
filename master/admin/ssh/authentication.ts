import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import type { KeyOffer, LoginClient, OfferAnswer, SshBackend, SshSession } from './ssh-backend.ts';

/** Maximum number of keys that one connection may offer, the same as OpenSSH's MaxAuthTries. */
const MAX_TRIES = 6;

/**
 * Result of one login attempt. `probe`: the client asked whether it may use a key, but has not proven that it has the
 * private key. `why`: see {@link OfferAnswer}. `last`: no attempts are left, so the caller must close the connection.
 */
export type AuthResult =
  | { readonly kind: 'accepted'; readonly session: SshSession }
  | { readonly kind: 'probe' }
  | { readonly kind: 'refused'; readonly last: boolean; readonly why?: string | undefined };

/**
 * Passes the login attempts of one connection to the backend, and limits their number. Accepts public keys only (RFC
 * 4252 section 7). Reports the result to the client, with two exceptions that the caller handles: an accepted login,
 * and the last refused attempt, after which the caller closes the connection.
 */
export class Authentication {
  readonly #backend: Pick<SshBackend, 'login'>;
  readonly #client: LoginClient;
  #tries = 0;

  constructor(backend: Pick<SshBackend, 'login'>, client: LoginClient) {
    this.#backend = backend;
    this.#client = client;
  }

  /** Handles one attempt. The SSH library passes on the next attempt only after this one was answered. */
  attempt(context: AuthContext): AuthResult | Promise<AuthResult> {
    if (context.method !== 'publickey') return this.#refuse(context);
    const answer = this.#backend.login(toOffer(context), this.#client);
    return answer instanceof Promise
      ? answer.then((answered) => this.#report(context, answered))
      : this.#report(context, answer);
  }

  #report(context: AuthContext, answer: OfferAnswer): AuthResult {
    if (answer.kind === 'refused') return this.#refuse(context, answer.why);
    if (answer.kind === 'probe') context.accept();
    return answer;
  }

  #refuse(context: AuthContext, why?: string): AuthResult {
    // Clients use the method "none" to ask for the list of methods, so it does not count as an attempt.
    if (context.method !== 'none') this.#tries += 1;
    // A client that is told that its key was refused would ask the person to authorize the key.
    const last = this.#tries >= MAX_TRIES || why !== undefined;
    if (!last) context.reject(['publickey']);
    return { kind: 'refused', last, why };
  }
}

function toOffer({ key, signature, blob, hashAlgo }: PublicKeyAuthContext): KeyOffer {
  const isProof = signature !== undefined && blob !== undefined;
  return {
    algorithm: key.algo,
    key: key.data,
    proof: isProof ? { signature, signed: blob, hash: hashAlgo } : null,
  };
}
