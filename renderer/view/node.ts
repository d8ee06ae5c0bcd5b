import type { Node, NodeState } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { Hue } from '../ui/hue.ts';
import { toCountOf } from './numbers.ts';
import { toDuration } from './time.ts';

/** A node's state in a pill. */
export const nodeStateWords: Record<NodeState, { readonly word: string; readonly hue: Hue }> = {
  ORDERED: { word: 'Ordered', hue: 'busy' },
  BOOTING: { word: 'Booting', hue: 'busy' },
  READY: { word: 'Ready', hue: 'ok' },
  CORDONED: { word: 'Cordoned', hue: 'warn' },
  DRAINING: { word: 'Draining', hue: 'busy' },
  DELETING: { word: 'Being given back', hue: 'neutral' },
  LOST: { word: 'Lost', hue: 'bad' },
};

/** What a state means for services; null where the word says it all. */
export const nodeStateMeaning: Record<NodeState, string | null> = {
  ORDERED: 'The provider is asked for it; it has no services yet.',
  BOOTING: 'It is being set up; it has no services yet.',
  READY: null,
  CORDONED: 'It takes no new services. Those on it stay.',
  DRAINING: 'It takes no new services. Those on it are replaced elsewhere and stopped once nobody uses them.',
  DELETING: 'It is empty and goes back to its provider.',
  LOST: 'The master cannot reach it.',
};

type Move = 'cordon' | 'drain' | 'resume';

/** Why a node cannot be cordoned, drained or resumed now; undefined when it can. */
export function moveRefusal({ state }: Pick<Node, 'state'>, to: Move): string | undefined {
  switch (state) {
    case 'ORDERED':
    case 'BOOTING':
      return 'Is not ready yet';
    case 'DELETING':
      return 'Is being given back';
    case 'LOST':
      return 'Cannot be reached';
    case 'READY':
      return to === 'resume' ? 'Takes services already' : undefined;
    case 'CORDONED':
      return to === 'cordon' ? 'Is cordoned already' : undefined;
    case 'DRAINING':
      return to === 'drain' ? 'Is draining already' : undefined;
  }
}

const price = new Intl.NumberFormat('en-US', { minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** `cpx32 · € 0.031 / h · paid for 42 m more`; null for a machine of one's own. */
export function toRentalWords({ rental }: Pick<Node, 'rental'>, nowMs: number): string | null {
  if (rental === null) return null;
  // In minutes: seconds would only flicker.
  const left = Math.max(0, Math.ceil((rental.paidUntil - nowMs) / 60_000)) * 60_000;
  const paid = left === 0 ? 'paid hour is over' : `paid for ${toDuration(left)} more`;
  return `${rental.type} · € ${price.format(rental.hourlyPrice)} / h · ${paid}`;
}

/** What draining a node will do: how many services are on it, and which finish first. */
export function drainConsequence(
  node: Pick<Node, 'id'>,
  services: readonly Pick<Service, 'node' | 'state' | 'players'>[],
): string {
  const here = services.filter((service) => service.node === node.id);
  const how =
    'It takes no new services until it is resumed. Services that are needed are replaced on other nodes.';
  if (here.length === 0) return `No service is on it. ${how}`;
  const used = here.filter(({ state }) => state === 'IN_USE');
  const players = used.reduce((sum, { players: { online } }) => sum + online, 0);
  const are = (n: number): string => (n === 1 ? 'is' : 'are');
  const count = `${toCountOf(here.length, 'service')} ${are(here.length)} on it`;
  if (used.length === 0) return `${count}, none of them in use: stopped once replaced. ${how}`;
  const who = `${used.length} of them ${are(used.length)} in use by ${toCountOf(players, 'player')}`;
  const finish = used.length === 1 ? 'That one finishes first' : 'Those in use finish first';
  return `${count}; ${who}. ${finish}: nobody is sent away. ${how}`;
}
