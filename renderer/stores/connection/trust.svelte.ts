import { hasCode } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import type { Link } from '#shared/ipc/contract.ts';
import { link } from './link.svelte.ts';

/** A host key that a person has to verify before anything is sent to its master. */
export interface TrustQuestion {
  readonly connection: string;
  readonly name: string;
  readonly address: string;
  /** The key that is trusted. Null if the master is new. */
  readonly expected: string | null;
  /** The key the master shows now. */
  readonly found: string;
}

/** Returns the question that a connection's state raises. Null if there is none. */
export function toTrustQuestion(of: Link | null): TrustQuestion | null {
  if (of?.error === null || of === null) return null;
  const { connection, name } = of;
  const error = fromWire(of.error);
  if (hasCode(error, 'HOST_KEY_UNKNOWN')) {
    const { address, found } = error.details;
    return { connection, name, address, expected: null, found };
  }
  if (hasCode(error, 'HOST_KEY_CHANGED')) {
    const { address, expected, found } = error.details;
    return { connection, name, address, expected, found };
  }
  return null;
}

/** The question about a host key that is shown: raised by the connection, or by testing a connection. */
class Trust {
  /** Question raised by a person's test of a connection. */
  #asked = $state.raw<TrustQuestion | null>(null);
  /** The key whose question was postponed. Null if there is none. */
  #putOff = $state<string | null>(null);
  readonly #ofLink = $derived(toTrustQuestion(link.value));

  readonly question: TrustQuestion | null = $derived(
    this.#asked ?? (this.#ofLink !== null && this.#ofLink.found !== this.#putOff ? this.#ofLink : null),
  );
  /** Whether the connection waits for an answer, shown or postponed. */
  readonly waiting: boolean = $derived(this.#ofLink !== null);

  readonly ask = (question: TrustQuestion): void => {
    this.#asked = question;
  };

  /** Shows the connection's question again. */
  readonly reopen = (): void => {
    this.#putOff = null;
  };

  /** Closes the question after it was answered or postponed. */
  readonly close = (): void => {
    if (this.#asked === null) this.#putOff = this.#ofLink?.found ?? null;
    this.#asked = null;
  };
}

export const trust = new Trust();
