import { hasCode } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import type { Link } from '#shared/ipc/contract.ts';
import { link } from './link.svelte.ts';

/** A host key that a person has to look at before anything is sent to its master. */
export interface TrustQuestion {
  readonly connection: string;
  readonly name: string;
  readonly address: string;
  /** The key it was known by; null when it is new. */
  readonly expected: string | null;
  /** The key it shows now. */
  readonly found: string;
}

/** What the link asks a person, if it does. */
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

/** The one question about a key that is shown: what the link runs into, or what a test of a connection found. */
class Trust {
  /** Asked by a person's own doing: a test of a connection. */
  #asked = $state.raw<TrustQuestion | null>(null);
  /** The key whose question was put off; null: none. */
  #putOff = $state<string | null>(null);
  readonly #ofLink = $derived(toTrustQuestion(link.value));

  readonly question: TrustQuestion | null = $derived(
    this.#asked ?? (this.#ofLink !== null && this.#ofLink.found !== this.#putOff ? this.#ofLink : null),
  );
  /** The link waits for an answer, shown or put off. */
  readonly waiting: boolean = $derived(this.#ofLink !== null);

  readonly ask = (question: TrustQuestion): void => {
    this.#asked = question;
  };

  /** Shows the link's question again. */
  readonly reopen = (): void => {
    this.#putOff = null;
  };

  /** Answered, or put off. */
  readonly close = (): void => {
    if (this.#asked === null) this.#putOff = this.#ofLink?.found ?? null;
    this.#asked = null;
  };
}

export const trust = new Trust();
