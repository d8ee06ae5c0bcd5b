import type { Link } from '#shared/ipc/contract.ts';
import type { Hue } from '../ui/hue.ts';
import { toCountdown } from './format/time.ts';

/** Returns the state of the connection as a word and a hue. */
export function toLinkState(link: Link | null): { readonly word: string; readonly hue: Hue } {
  switch (link?.status) {
    case 'connected':
      return { word: 'Connected', hue: 'ok' };
    case 'waiting':
      return { word: 'Offline', hue: 'warn' };
    case 'failed':
      return { word: 'Failed', hue: 'bad' };
    case 'connecting':
      return { word: 'Connecting', hue: 'busy' };
    case 'starting':
    case undefined:
      return { word: 'Starting', hue: 'busy' };
  }
}

/**
 * Returns the time until the app reconnects automatically: `Retries in 12 s`. Null if no automatic attempt is
 * planned.
 */
export function toRetry(link: Link | null, nowMs: number): string | null {
  return link?.status === 'waiting' && link.retryAt !== null
    ? `Retries ${toCountdown(link.retryAt, nowMs)}`
    : null;
}
