import type { Link } from '#shared/ipc/contract.ts';
import type { Hue } from '../ui/hue.ts';
import { toCountdown } from './format/time.ts';

/** The link's state in one word and hue. */
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

/** When the app tries again by itself; null while it does, or never will. */
export function toRetry(link: Link | null, nowMs: number): string | null {
  return link?.status === 'waiting' && link.retryAt !== null
    ? `Tries again ${toCountdown(link.retryAt, nowMs)}`
    : null;
}
