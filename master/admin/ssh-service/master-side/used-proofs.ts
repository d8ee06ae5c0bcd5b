import { createHash } from 'node:crypto';

/** Number of proofs that are remembered. */
const MAX_PROOFS = 100_000;

/**
 * Logins that were accepted. The signed bytes contain the id of the SSH session (RFC 4252 section 7), which is
 * random. So no honest login repeats one, and an SSH service that was taken over cannot log in again for a person who
 * has left. It can withhold a proof, and use it once, later.
 */
export class UsedProofs {
  readonly #used = new Set<string>();

  /** Notes a proof before its login is decided. @returns false if it was noted before */
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

  /** Forgets the proof of a refused login. Otherwise, refused proofs would replace those of accepted ones. */
  remove(signed: Buffer): void {
    this.#used.delete(hashOf(signed));
  }
}

function hashOf(signed: Buffer): string {
  return createHash('sha256').update(signed).digest('base64');
}
