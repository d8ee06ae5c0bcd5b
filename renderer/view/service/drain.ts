import type { Service } from '#shared/model/service.ts';
import { toCountOf } from '../format/numbers.ts';
import { toCountdown } from '../format/time.ts';

/**
 * Describes the progress of a drain: the number of players who are still on the service, and when the service stops.
 */
export function drainWords(
  { draining, players }: Pick<Service, 'draining' | 'players'>,
  nowMs: number,
): string {
  if (draining === null) return '';
  const left =
    players.online === 0 ? 'no players on it' : `${toCountOf(players.online, 'player')} still on it`;
  const end =
    draining.until === null
      ? 'It stops once no players are on it.'
      : `It stops once no players are on it, or ${toCountdown(draining.until, nowMs)}.`;
  return `Draining, ${draining.cause}: accepts no new players, ${left}. ${end}`;
}
