import { hasCode } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import type { Link } from '#shared/ipc/contract.ts';
import { link } from './link.svelte.ts';

/** A host key that a person has to verify before anything is sent to its master. */
export interface TrustQuestion {
  readonly connection: string;
  readonly name: string;
  readonly address: string;
  /** The key that has been trusted until now. Null if the master is new. */
  readonly expected: string | null;
  /** The key that the master shows now. */
  readonly found: string;
}

/**
 * Returns the question to ask if the link failed because of an unknown or changed host key. Null if the link has no
 * such error.
 */
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

/** The displayed question about a host key. It comes from the link, or from a test of a connection. */
class Trust {
  /** The question from a test of a connection. Null if there is none. */
  #asked = $state.raw<TrustQuestion | null>(null);
  /** The host key in the link's question, if a person has postponed this question. Null if none is postponed. */
  #putOff = $state<string | null>(null);
  readonly #ofLink = $derived(toTrustQuestion(link.value));

  readonly question: TrustQuestion | null = $derived(
    this.#asked ?? (this.#ofLink !== null && this.#ofLink.found !== this.#putOff ? this.#ofLink : null),
  );
  /** Whether the link waits for an answer. Also true while the question is postponed. */
  readonly waiting: boolean = $derived(this.#ofLink !== null);

  readonly ask = (question: TrustQuestion): void => {
    this.#asked = question;
  };

  /** Shows the postponed question of the link again. */
  readonly reopen = (): void => {
    this.#putOff = null;
  };

  /** Closes the displayed question. If it comes from the link, it counts as postponed. */
  readonly close = (): void => {
    if (this.#asked === null) this.#putOff = this.#ofLink?.found ?? null;
    this.#asked = null;
  };
}

export const trust = new Trust();
