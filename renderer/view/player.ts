import type { Player } from '#shared/model/player.ts';
import { isUp, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';

/** What a filter looks at; a player who has not changed is the same object, and 20,000 texts are not made again. */
const texts = new WeakMap<Player, string>();

function toText(player: Player): string {
  const known = texts.get(player);
  if (known !== undefined) return known;
  const { name, uuid, server, proxy } = player;
  const text = `${name} ${uuid} ${server ?? ''} ${proxy}`.toLowerCase();
  texts.set(player, text);
  return text;
}

/** True when a player has all words in name, UUID, server or proxy. `words` in lower case. */
export function playerMatches(player: Player, words: readonly string[]): boolean {
  return words.every((word) => toText(player).includes(word));
}

/** Players who have not changed stay the same objects, so that only changed rows are drawn and sorted again. */
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

/** Players by the game server they are on; those on none are left out. */
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

/** Why the list of players is empty, each with something else to do about it. */
export type NobodyReason = 'no proxy template' | 'no proxy up' | 'no plugin' | 'nobody';

/** Tells why nobody is seen: players are known by the plugins of proxies. */
export function whyNobody({
  templates,
  services,
}: {
  readonly templates: readonly Template[];
  readonly services: readonly Service[];
}): NobodyReason {
  const proxies = proxyTemplates(templates);
  if (proxies.size === 0) return 'no proxy template';
  const up = services.filter((service) => proxies.has(service.template) && isUp(service));
  if (up.length === 0) return 'no proxy up';
  return up.every(({ plugin }) => plugin === null) ? 'no plugin' : 'nobody';
}

/** Ids of templates whose services are proxies. */
export function proxyTemplates(templates: readonly Template[]): ReadonlySet<string> {
  return new Set(templates.filter(({ config }) => config.isProxy).map(({ id }) => id));
}

/**
 * Players on these services, each once: whoever is on a game server came through a proxy, which counts them too. Of game
 * servers and proxies those with more count.
 *
 * @param proxies ids of templates whose services are proxies
 */
export function headcount(
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

/** A game server that players can be sent to. */
export interface SendTarget {
  readonly service: Service;
  /** Places left; what is full may still let some in by a permission of its own. */
  readonly room: number;
}

/** Game servers that take players now: up, and neither stopping nor being replaced. In the order of `services`. */
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

/** `Ada`, `Ada and Grace`, `Ada, Grace and 3 more`. */
export function toNames(players: readonly Pick<Player, 'name'>[]): string {
  const [first, second, ...more] = players.map(({ name }) => name);
  if (first === undefined) return 'nobody';
  if (second === undefined) return first;
  return more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`;
}
