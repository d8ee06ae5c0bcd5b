import type { TemplateConfig } from '#shared/config/template.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { Costs, History, HistoryRange } from '#shared/model/history.ts';
import type { Node } from '#shared/model/node.ts';
import type { Player } from '#shared/model/player.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import {
  aBalancer,
  aCosts,
  aHistory,
  aNode,
  aPlugin,
  aRental,
  aService,
  aTemplate,
  aPlayerEntry,
} from '#test/support/app/models.ts';

/** Template names of a large network. */
const names =
  'lobby bedwars-solo bedwars-duo bedwars-squads skywars skywars-ranked survival-games build-battle murder-mystery tnt-run ' +
  'parkour prison skyblock factions creative hide-and-seek speed-builders uhc duels practice';
const templateIds = names.split(' ');

const NODES = 60;
const NODE = { type: 'ccx63', hourlyPrice: 0.4623, totalMb: 188_416 };
export const CROWD_LIMIT = 200_000;

const PROXY = 'proxy';
/** Number of services per proxy: one in 200 services is a proxy. */
const PROXY_PART = 200;
const PROXY_SLOTS = 5000;

const minutes = 60_000;

/**
 * Network that is too large for a single machine. Its data is consistent, so that screenshots of the network make
 * sense.
 */
export interface Crowd {
  readonly templates: readonly Template[];
  readonly nodes: readonly Node[];
  readonly events: readonly ActivityEvent[];
  readonly costs: Costs;
  /** The services. The benchmark changes this list. */
  readonly services: Service[];
  readonly history: (range: HistoryRange) => History;
  /** Returns all players on these services, sorted by the time at which they joined. */
  readonly players: () => readonly Player[];
  readonly playerEntry: PlayerEntry;
}

/**
 * Creates a network. Players join through HAProxy and proxies. One of the proxies has no players. The game servers
 * are spread over all templates and nodes.
 *
 * @param count number of services including proxies; at least 2
 */
export function aCrowd(count: number): Crowd {
  const proxies = Math.max(2, Math.round(count / PROXY_PART));
  const busy = proxies - 1;
  const games = Array.from({ length: count - proxies }, (_, n) => aCrowdedService(n));
  const online = sumPlayers(games);
  const gates = Array.from({ length: proxies }, (_, n) =>
    aCrowdedProxy(n, n < busy ? Math.floor((online + n) / busy) : 0),
  );
  const services = [...games, ...gates];
  const nodes = Array.from({ length: NODES }, (_, n) => aCrowdedNode(n, services));
  const perHour = NODES * NODE.hourlyPrice;
  return {
    services,
    nodes,
    templates: [
      ...templateIds.map((id) => aTemplate(id, aPlan(id))),
      aTemplate(PROXY, { name: 'Proxy', isProxy: true, minimumRunningServers: 1, maxPlayers: PROXY_SLOTS }),
    ],
    events: services.slice(0, 40).map(ranSince),
    costs: aCosts({ perHour, month: perHour * 24 * 12, rentedNodes: NODES, canRent: true }),
    history: (range) => aDayOf(range, { services, online, nodes, perHour }),
    players: () => playersOn(games, busy),
    playerEntry: aPlayerEntry({
      balancer: aBalancer({
        addresses: [{ host: 'play.example.net', port: 25_565 }],
        entries: gates.map(({ id, players }) => ({
          service: id,
          state: 'open',
          connections: players.online,
        })),
      }),
      link: { listening: { host: '10.0.1.1', port: 1510 }, error: null, plugins: services.length },
    }),
  };
}

/**
 * Returns the service after one more player has joined. If the service would become full, returns it after all
 * players have left.
 */
export function changed(service: Service): Service {
  const online = (service.players.online + 1) % 50;
  const state = online === 0 ? 'RUNNING' : 'IN_USE';
  const since = state === service.state ? service.since : Date.now();
  return { ...service, state, since, players: { ...service.players, online } };
}

const aPlan = (id: string): Partial<TemplateConfig> => ({
  name: id.replaceAll('-', ' ').replace(/\b\w/g, (letter) => letter.toUpperCase()),
  isProxy: false,
  isFallback: id === 'lobby',
  minimumRunningServers: 50,
  maxPlayers: 50,
});

/** Returns the number of players. Each player is on a game server and on a proxy, but counts once. */
export function sumPlayers(services: readonly Service[]): number {
  return services.reduce((sum, { template, players }) => sum + (template === PROXY ? 0 : players.online), 0);
}

/**
 * Returns the number of players on the service with number `n`. The number is pseudo-random, but always the same. Two
 * in five services are empty.
 */
const playersOf = (n: number): number => Math.max(0, ((Math.imul(n, 40_503) >>> 7) % 84) - 34);

const nodeName = (n: number): string => `node-${(n % NODES) + 1}`;

function aCrowdedService(n: number): Service {
  const template = templateIds[n % templateIds.length] ?? 'lobby';
  const online = playersOf(n);
  return aService(template, Math.floor(n / templateIds.length) + 1, {
    node: nodeName(n),
    state: online === 0 ? 'RUNNING' : 'IN_USE',
    address: { host: `10.0.1.${(n % NODES) + 1}`, port: 25_565 + Math.floor(n / NODES) },
    players: { online, max: 50 },
    unusedSince: null,
    since: Date.now() - n * 1000,
    outdated: n % 11 === 0 ? ['files'] : [],
    plugin: aPlugin({ platform: 'bukkit', software: 'Paper 1.21.4' }),
  });
}

function aCrowdedProxy(n: number, online: number): Service {
  return aService(PROXY, n + 1, {
    node: nodeName(n),
    state: online === 0 ? 'RUNNING' : 'IN_USE',
    address: { host: `10.0.1.${(n % NODES) + 1}`, port: 25_700 },
    players: { online, max: PROXY_SLOTS },
    unusedSince: null,
    since: Date.now() - (n + 1) * 19 * minutes,
    plugin: aPlugin(),
  });
}

const firstNames =
  'Swift Silent Brave Lucky Frosty Mighty Golden Pixel Shadow Copper Misty Rapid Cosmic Turbo Clever'.split(
    ' ',
  );
const lastNames =
  'Fox Otter Falcon Badger Creeper Raven Panda Wolf Lynx Heron Bison Gecko Miner Archer Golem Turtle'.split(
    ' ',
  );

/** Returns the players on these game servers. The players are always the same. */
function playersOn(games: readonly Service[], busyProxies: number): readonly Player[] {
  const players: Player[] = [];
  for (const {
    id,
    players: { online },
  } of games) {
    for (let seat = 0; seat < online; seat += 1) {
      const n = players.length;
      const first = firstNames[Math.imul(n, 7) % firstNames.length] ?? '';
      const last = lastNames[(n >>> 2) % lastNames.length] ?? '';
      const digits = (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
      players.push({
        uuid: `${digits}-5eed-4000-8000-${n.toString(16).padStart(12, '0')}`,
        name: `${`${first}${last}`.slice(0, 12)}${n.toString(36)}`,
        server: n % 500 === 3 ? null : id,
        since: Date.now() - ((Math.imul(n, 40_503) >>> 7) % 240) * minutes - (n % 60) * 1000,
        proxy: `${PROXY}-${busyProxies - (n % busyProxies)}`,
      });
    }
  }
  return players.sort((a, b) => a.since - b.since);
}

function aCrowdedNode(n: number, services: readonly Service[]): Node {
  const id = nodeName(n);
  const here = services.filter(({ node }) => node === id);
  const since = Date.now() - (n * 7 + 20) * minutes;
  const hoursPaid = Math.ceil((Date.now() - since) / (60 * minutes));
  return aNode(id, {
    location: 'fsn1',
    address: `10.0.1.${n + 1}`,
    ram: { totalMb: NODE.totalMb, allocatedMb: here.reduce((sum, { ramMb }) => sum + ramMb, 0) },
    services: here.length,
    rental: aRental({
      type: NODE.type,
      hourlyPrice: NODE.hourlyPrice,
      since,
      paidUntil: since + hoursPaid * 60 * minutes,
    }),
  });
}

function ranSince(service: Service, n: number): ActivityEvent {
  return {
    seq: 9000 - n,
    at: service.since,
    kind: 'service.running',
    subject: { type: 'service', id: service.id },
    template: service.template,
    actor: 'overworld',
    message: `${service.id} is running and can be joined`,
    cause: `it answered after ${(4 + (n % 7) * 0.6).toFixed(1)} s`,
  };
}

/** Returns the history of a day, scaled so that it ends near the current values. */
function aDayOf(
  range: HistoryRange,
  now: { services: readonly Service[]; online: number; nodes: readonly Node[]; perHour: number },
): History {
  const shape = aHistory(range);
  const shift = Date.now() - (shape.at.at(-1) ?? 0);
  const scaled = (values: readonly (number | null)[], last: number): (number | null)[] => {
    const end = values.at(-1) ?? 1;
    return values.map((value) => (value === null ? null : Math.round((value / end) * last)));
  };
  const constant = (value: number): (number | null)[] =>
    shape.players.map((seen) => (seen === null ? null : value));
  const ram = (of: 'allocatedMb' | 'totalMb'): number =>
    now.nodes.reduce((sum, node) => sum + node.ram[of], 0);
  return {
    ...shape,
    at: shape.at.map((at) => at + shift),
    players: scaled(shape.players, now.online),
    playersPeak: scaled(shape.playersPeak, now.online),
    playerLimit: constant(CROWD_LIMIT),
    servicesUp: scaled(shape.servicesUp, now.services.length),
    services: scaled(shape.servicesUp, now.services.length),
    ramAllocatedMb: scaled(shape.ramAllocatedMb, ram('allocatedMb')),
    ramTotalMb: constant(ram('totalMb')),
    costPerHour: constant(now.perHour),
  };
}
