import type { Player } from '#shared/model/player.ts';
import { isUp, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';

/** Cached filter texts. An unchanged player stays the same object, so the cache saves building up to 20,000 texts. */
const texts = new WeakMap<Player, string>();

function toText(player: Player): string {
  const known = texts.get(player);
  if (known !== undefined) return known;
  const { name, uuid, server, proxy } = player;
  const text = `${name} ${uuid} ${server ?? ''} ${proxy}`.toLowerCase();
  texts.set(player, text);
  return text;
}

/**
 * Returns a filter of players. A player matches if the name, UUID, server or proxy contains each word. A word that is
 * the whole id of a service matches only the players of this service: `lobby-1` does not match those of `lobby-10`.
 *
 * @param words in lower case
 */
export function playerFilter(
  words: readonly string[],
  isService: (word: string) => boolean,
): (player: Player) => boolean {
  const ids = words.filter(isService);
  const parts = words.filter((word) => !ids.includes(word));
  return (player) =>
    ids.every((id) => player.server === id || player.proxy === id) &&
    parts.every((part) => toText(player).includes(part));
}

/**
 * Returns the new list of players. A player who has not changed is the same object as in the old list, so that only
 * changed rows are drawn again.
 */
export function mergePlayers(before: readonly Player[], now: readonly Player[]): Player[] {
  const known = new Map(before.map((player) => [player.uuid, player]));
  return now.map((player) => {
    const old = known.get(player.uuid);
    return old !== undefined && isSame(old, player) ? old : player;
  });
}

function isSame(a: Player, b: Player): boolean {
  return a.name === b.name && a.server === b.server && a.proxy === b.proxy && a.since === b.since;
}

/** Groups players by their game server. Leaves out players who are on no server. */
export function groupByServer(list: readonly Player[]): ReadonlyMap<ServiceId, readonly Player[]> {
  const groups = new Map<ServiceId, Player[]>();
  for (const player of list) {
    if (player.server === null) continue;
    const group = groups.get(player.server);
    if (group === undefined) groups.set(player.server, [player]);
    else group.push(player);
  }
  return groups;
}

/** Reason for which the list of players is empty. The window shows a different remedy for each reason. */
export type NoPlayersReason = 'no proxy template' | 'no proxy up' | 'no plugin' | 'no players';

/** Returns why the master knows no players. The plugins of proxies report players to the master. */
export function whyNoPlayers({
  templates,
  services,
}: {
  readonly templates: readonly Template[];
  readonly services: readonly Service[];
}): NoPlayersReason {
  const proxies = proxyTemplates(templates);
  if (proxies.size === 0) return 'no proxy template';
  const up = services.filter((service) => proxies.has(service.template) && isUp(service));
  if (up.length === 0) return 'no proxy up';
  return up.every(({ plugin }) => plugin === null) ? 'no plugin' : 'no players';
}

/** Returns the ids of templates whose services are proxies. */
export function proxyTemplates(templates: readonly Template[]): ReadonlySet<string> {
  return new Set(templates.filter(({ config }) => config.isProxy).map(({ id }) => id));
}

/**
 * Returns the number of players on services, counting each player once. A player on a game server is also counted on
 * a proxy. Therefore, this function adds up game servers and proxies separately, and returns the larger sum.
 *
 * @param proxies ids of templates whose services are proxies
 */
export function countPlayers(
  services: readonly Pick<Service, 'template' | 'players'>[],
  proxies: ReadonlySet<string>,
): number {
  let playing = 0;
  let through = 0;
  for (const { template, players } of services) {
    if (proxies.has(template)) through += players.online;
    else playing += players.online;
  }
  return Math.max(playing, through);
}

/** A game server to which players can be sent. */
export interface SendTarget {
  readonly service: Service;
  /** Free slots. A full server may still admit players with a permission. */
  readonly room: number;
}

/**
 * Returns the game servers that accept players now, in the order of `services`. They are up, answer status pings, and
 * are not stopping, draining or being replaced.
 */
export function sendTargets({
  templates,
  services,
}: {
  readonly templates: readonly Template[];
  readonly services: readonly Service[];
}): readonly SendTarget[] {
  const proxies = proxyTemplates(templates);
  return services.flatMap((service) => {
    const { template, stopping, retiring, draining, unresponsive, players } = service;
    const leaves = stopping !== null || retiring !== null || draining !== null;
    const open = isUp(service) && !leaves && !unresponsive;
    if (!open || proxies.has(template)) return [];
    return [{ service, room: Math.max(0, players.max - players.online) }];
  });
}

/** Returns the names as part of a sentence: `Ada`, `Ada and Grace`, `Ada, Grace and 3 more`. */
export function toNames(players: readonly Pick<Player, 'name'>[]): string {
  const [first, second, ...more] = players.map(({ name }) => name);
  if (first === undefined) return 'no players';
  if (second === undefined) return first;
  return more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`;
}
