import { errorCodes } from '#shared/errors/codes.ts';
import type { WireError } from '#shared/errors/wire.ts';
import type { Link } from '#shared/ipc/contract.ts';

/** First wait after a failure, and the longest; doubled from one to the next (docs/architecture.md: reconnects by itself). */
export const FIRST_DELAY_MS = 1000;
export const LONGEST_DELAY_MS = 30_000;

/** The link as the window sees it, plus the failures in a row that the back-off counts. */
export interface LinkState {
  readonly link: Link;
  readonly failures: number;
}

/** Which connection a link belongs to. */
export type LinkSubject = Pick<Link, 'connection' | 'kind' | 'name'>;

/** What can happen to a link. Times in ms since epoch; `random` from 0 up to 1, for the jitter. */
export type LinkEvent =
  /** From now on it is the link to this one. */
  | { readonly kind: 'chosen'; readonly subject: LinkSubject }
  /** The master's address is not known (any more): the embedded one is starting, or starting again. */
  | { readonly kind: 'target lost'; readonly error: WireError | null }
  | { readonly kind: 'target known'; readonly address: string; readonly hostKey: string | null }
  /** A try begins. */
  | { readonly kind: 'trying' }
  | { readonly kind: 'connected'; readonly hostKey: string; readonly run: string }
  /** A try failed, or a connection that stood has ended. */
  | { readonly kind: 'failed'; readonly error: WireError; readonly now: number; readonly random: number };

/** The state before anything is known. */
export function initialLinkState(subject: LinkSubject): LinkState {
  return {
    link: {
      ...subject,
      address: null,
      status: 'starting',
      error: null,
      retryAt: null,
      hostKey: null,
      generation: 0,
      run: null,
    },
    failures: 0,
  };
}

/**
 * The state after an event. Pure: what to do follows from it (`connecting`: try now; `waiting`: try at `retryAt`;
 * `failed`: only a person can help).
 */
export function nextLinkState(state: LinkState, event: LinkEvent): LinkState {
  const { link } = state;
  switch (event.kind) {
    case 'chosen': {
      // Only the count goes on: a connection to another master is a new one, too.
      const fresh = initialLinkState(event.subject);
      return { ...fresh, link: { ...fresh.link, generation: link.generation } };
    }
    case 'target lost':
      return {
        link: { ...link, address: null, status: 'starting', error: event.error, retryAt: null },
        failures: 0,
      };
    case 'target known':
      return {
        link: {
          ...link,
          address: event.address,
          hostKey: event.hostKey,
          status: 'connecting',
          error: null,
          retryAt: null,
        },
        failures: 0,
      };
    case 'trying':
      // The last error stays until the try succeeds: people want to read why, not see it blink.
      return { ...state, link: { ...link, status: 'connecting', retryAt: null } };
    case 'connected':
      return {
        link: {
          ...link,
          status: 'connected',
          error: null,
          retryAt: null,
          hostKey: event.hostKey,
          generation: link.generation + 1,
          run: event.run,
        },
        failures: 0,
      };
    case 'failed':
      return afterFailure(state, event);
  }
}

function afterFailure(state: LinkState, event: Extract<LinkEvent, { kind: 'failed' }>): LinkState {
  const { error, now, random } = event;
  if (!errorCodes[error.code].retry) {
    return { ...state, link: { ...state.link, status: 'failed', error, retryAt: null } };
  }
  const retryAt = Math.round(now + delayAfter(state.failures, random));
  return { link: { ...state.link, status: 'waiting', error, retryAt }, failures: state.failures + 1 };
}

/**
 * Wait before the next try: 1, 2, 4 … 30 s, of which the upper half is random, so that many apps do not come back
 * to a restarted master in the same moment. After 3 failures, random 0.5: 8 s × 0.75 = 6 s.
 *
 * @param failures in a row before this one
 * @param random from 0 up to 1
 */
export function delayAfter(failures: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS);
  return Math.max(FIRST_DELAY_MS, longest * (0.5 + random / 2));
}
