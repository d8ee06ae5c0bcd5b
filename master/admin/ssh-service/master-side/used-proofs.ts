import { createHash } from 'node:crypto';

/** Number of proofs that are remembered. */
const MAX_PROOFS = 100_000;

/**
 * Logins that were accepted. The signed bytes contain the id of the SSH session (RFC 4252 section 7), which is random. So
 * no honest login repeats one, and an SSH service that was taken over cannot log in again for a person who has left.
 */
export class UsedProofs {
  readonly #used = new Set<string>();

  has(signed: Buffer): boolean {
    return this.#used.has(hashOf(signed));
  }

  add(signed: Buffer): void {
    this.#used.add(hashOf(signed));
    for (const oldest of this.#used) {
      if (this.#used.size <= MAX_PROOFS) return;
      this.#used.delete(oldest);
    }
  }
}

function hashOf(signed: Buffer): string {
  return createHash('sha256').update(signed).digest('base64');
}
