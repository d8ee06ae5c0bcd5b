import { createHash } from 'node:crypto';

/** Maximum number of proofs that are stored. Beyond this number, the oldest ones are dropped. */
const MAX_PROOFS = 100_000;

/**
 * Proofs of logins that were accepted. A proof can be used only once: its signed bytes contain the random id of an
 * SSH session (RFC 4252 section 7), so an honest login never repeats an earlier proof. Thus an attacker who controls
 * the SSH service cannot log in again as a person who has left. But the attacker can withhold a new proof, and use it
 * later, once.
 */
export class UsedProofs {
  readonly #used = new Set<string>();

  /** Stores a proof. Must be called before the login is decided. @returns false if the proof was already stored */
  add(signed: Buffer): boolean {
    const hash = hashOf(signed);
    if (this.#used.has(hash)) return false;
    this.#used.add(hash);
    for (const oldest of this.#used) {
      if (this.#used.size <= MAX_PROOFS) break;
      this.#used.delete(oldest);
    }
    return true;
  }

  /**
   * Removes the proof of a refused login. Otherwise, proofs of refused logins would displace those of accepted
   * logins.
   */
  remove(signed: Buffer): void {
    this.#used.delete(hashOf(signed));
  }
}

function hashOf(signed: Buffer): string {
  return createHash('sha256').update(signed).digest('base64');
}
