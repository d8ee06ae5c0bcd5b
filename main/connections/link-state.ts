import { errorCodes } from '#shared/errors/codes.ts';
import type { WireError } from '#shared/errors/wire.ts';
import type { Link } from '#shared/ipc/contract.ts';
import type { MasterVersion } from '#shared/rpc/contract.ts';
import { delayAfter } from './reconnect-delay.ts';

/** The link as the window sees it, and the number of consecutive failures for the back-off. */
export interface LinkState {
  readonly link: Link;
  readonly failures: number;
}

/** The connection that a link belongs to. */
export type LinkSubject = Pick<Link, 'connection' | 'kind' | 'name'>;

/** Events of a link. Times are ms since epoch; `random` is in [0, 1) and used for jitter. */
export type LinkEvent =
  /** The user selected this connection. */
  | { readonly kind: 'chosen'; readonly subject: LinkSubject }
  /** The master's address is unknown, because the embedded master is starting or restarting. */
  | { readonly kind: 'target lost'; readonly error: WireError | null }
  | { readonly kind: 'target known'; readonly address: string; readonly hostKey: string | null }
  /** A connection attempt starts. */
  | { readonly kind: 'trying' }
  | {
      readonly kind: 'connected';
      readonly hostKey: string;
      readonly run: string;
      readonly master: MasterVersion;
      readonly clockOffsetMs: number;
    }
  /** An attempt failed, or an established connection was closed. */
  | { readonly kind: 'failed'; readonly error: WireError; readonly now: number; readonly random: number };

/** Returns the state before the first event. */
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
      master: null,
      clockOffsetMs: 0,
    },
    failures: 0,
  };
}

/**
 * Returns the state after an event. Pure. The caller acts on the new status: `connecting` means connect now,
 * `waiting` means connect at `retryAt`, and `failed` means that only a person can solve the problem.
 */
export function nextLinkState(state: LinkState, event: LinkEvent): LinkState {
  const { link } = state;
  switch (event.kind) {
    case 'chosen': {
      // Only `generation` continues, because it counts the connections to all masters.
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
      // The last error stays until an attempt succeeds, so that people can read it.
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
          master: event.master,
          clockOffsetMs: event.clockOffsetMs,
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
