import { MAX_COUNT, type Backend } from '#shared/link/messages.ts';
import { softwareFamily, type SoftwareFamily } from '#shared/link/software.ts';
import type { NodeState } from '#shared/model/node.ts';
import { isUp } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { fillLevel } from '#master/core/snapshot/capacity.ts';
import type { LinkedService, NetworkView } from '#master/link/link.ts';
import type { Documents } from '#master/control/context/documents.ts';
import type { NodeAccess } from '#master/control/context/node-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import { isUnheard, type ServiceRecord } from '#master/control/services/records.ts';
import type { StartedFrom } from '#master/control/services/started-from.ts';
import { viewNodes } from '#master/control/loop/take-snapshot.ts';
import { addressForOthers } from './address.ts';
import { placesOn } from './presence.ts';
import { isOpen, opennessOf, type Openness } from './openness.ts';
import { isProxyService } from './proxies.ts';

export type Known = Documents &
  Pick<NodeAccess, 'provider'> &
  Pick<ServiceState, 'records' | 'pinger'> &
  Pick<IngressAccess, 'link' | 'proxies' | 'ownHost'>;

/** What the link and the balancer are to know of the network. */
export interface IngressView {
  readonly network: NetworkView;
  readonly entries: readonly WantedEntry[];
  /** Services that have begun again under their ids since the last look: what their earlier lives had is gone. */
  readonly reborn: ReadonlySet<LinkedService>;
}

/** What was told of a service the last time: the same object is told again as long as it says the same. */
interface Told {
  service?: LinkedService;
  backend?: Backend;
  entry?: WantedEntry;
  /** What it was started from, and the family of the jar in it, once both are known. */
  family?: { readonly placed: StartedFrom; readonly is: SoftwareFamily };
  /** It had been started when it was looked at last. */
  started: boolean;
}

interface Candidate {
  readonly record: ServiceRecord;
  readonly address: NonNullable<ServiceRecord['address']>;
  readonly openness: Openness;
}

/** Puts the records into the words of link and balancer: one look at each service a round, whatever their number. */
export class IngressViewer {
  readonly #known: Known;
  /** Forgotten with the record. */
  readonly #told = new WeakMap<ServiceRecord, Told>();

  constructor(known: Known) {
    this.#known = known;
  }

  look(): IngressView {
    const { records, config } = this.#known;
    const nodes = new Map(viewNodes(this.#known).map(({ id, state }) => [id, state]));
    const services: LinkedService[] = [];
    const reborn = new Set<LinkedService>();
    const games: Candidate[] = [];
    const proxies: Candidate[] = [];
    for (const record of records.all) {
      const told = this.#toldOf(record);
      const began = told.started && record.startedAt === null;
      told.started = record.startedAt !== null;
      // On no node it has no process, as far as anybody knows.
      if (record.node === null) continue;
      const isProxy = isProxyService(record, this.#known);
      const service = this.#service(record, isProxy);
      services.push(service);
      if (began) reborn.add(service);
      const { address, placed } = record;
      if (address === null || placed === null || !(isUp(record) || isUnheard(record))) continue;
      const node = nodes.get(record.node);
      if (isProxy) proxies.push({ record, address, openness: this.#opennessOfProxy(record, node) });
      // One whose template calls it a proxy, and which none is as far as anybody knows, is nothing to be sent to either.
      else if (!placed.values.isProxy)
        games.push({ record, address, openness: opennessOf(record, node === 'DRAINING') });
    }
    const open = countOpen(games);
    const openProxies = proxies.filter(({ openness }) => openness === 'open').length;
    return {
      network: {
        limit: config.master.config.max_online_players,
        backends: games.map((game) => this.#backend(game, open.get(game.record.template) ?? 0)),
        services,
      },
      entries: proxies.map((proxy) => this.#entry(proxy, openProxies)),
      reborn,
    };
  }

  /** One that this master has not heard yet may have all its players: it stays as it is until it is heard. */
  #opennessOfProxy(record: ServiceRecord, node: NodeState | undefined): Openness {
    const { config, overrides } = this.#known;
    if (isUnheard(record) && record.stopping === null && record.draining === null) return 'open';
    const isTemplateGoing =
      overrides.leavingOf(record.template) !== null || !config.templates.has(record.template);
    return opennessOf(record, isTemplateGoing || node === 'DRAINING' || node === 'CORDONED');
  }

  #service(record: ServiceRecord, isProxy: boolean): LinkedService {
    const ping = this.#known.pinger.state(record.id)?.answer ?? null;
    return this.#sameOr(record, 'service', {
      id: record.id,
      isProxy: record.placed?.values.isProxy ?? false,
      family: this.#familyOf(record, this.#toldOf(record)),
      // Of a game server that only passes for a proxy nobody is counted as a proxy's player.
      pinged: isProxy ? (ping?.players.online ?? null) : null,
    });
  }

  /** What was put into its template since it was started says nothing of it. */
  #familyOf({ placed, template }: ServiceRecord, told: Told): SoftwareFamily {
    if (placed === null) return 'other';
    if (told.family?.placed === placed) return told.family.is;
    const { revision, jar } = this.#known.templates.state(template);
    if (jar === null || revision !== placed.revision) return 'other';
    told.family = { placed, is: softwareFamily(jar.software) };
    return told.family.is;
  }

  #backend({ record, address, openness }: Candidate, others: number): Backend {
    const { config, overrides, ownHost } = this.#known;
    const template = config.templates.get(record.template)?.state.config;
    // Nobody takes its place, so it need not stay open until somebody does; without its template nobody knows who may enter.
    const isGoing = template === undefined || overrides.leavingOf(record.template) !== null;
    return this.#sameOr(record, 'backend', {
      id: record.id,
      template: record.template,
      name: template?.name ?? record.template,
      ...addressForOthers(address, ownHost),
      fallback: template?.isFallback ?? false,
      permission: template?.joinPermission ?? '',
      players: toCount(record.players.online),
      maxPlayers: toCount(maxPlayersOf(record)),
      fillLevel: this.#placesOf(record).fillLevel,
      open: !isGoing && isOpen(openness, others),
    });
  }

  #entry({ record, address, openness }: Candidate, others: number): WantedEntry {
    return this.#sameOr(record, 'entry', {
      id: record.id,
      ...address,
      proxyProtocol: record.placed?.given.proxyProtocol ?? false,
      open: isOpen(openness, others),
      ...this.#placesOf(record),
    });
  }

  /** Places it has now, and how many of them are filled before an emptier one gets a player. */
  #placesOf(record: ServiceRecord): { readonly maxPlayers: number; readonly fillLevel: number } {
    const maxPlayers = placesOn(record, this.#known.config.master.config.max_online_players);
    const template = this.#known.config.templates.get(record.template)?.state.config;
    // Without its template: as one that says nothing.
    const level = fillLevel(template ?? { startNewServiceAtTemplateCapacity: 0 }, maxPlayers);
    return { maxPlayers, fillLevel: level };
  }

  #toldOf(record: ServiceRecord): Told {
    let told = this.#told.get(record);
    if (told === undefined) this.#told.set(record, (told = { started: false }));
    return told;
  }

  #sameOr<K extends 'service' | 'backend' | 'entry'>(
    record: ServiceRecord,
    key: K,
    now: NonNullable<Told[K]>,
  ): NonNullable<Told[K]> {
    const told = this.#toldOf(record);
    const before = told[key];
    if (before !== undefined && isSame(before, now)) return before;
    told[key] = now;
    return now;
  }
}

function countOpen(games: readonly Candidate[]): ReadonlyMap<TemplateId, number> {
  const open = new Map<TemplateId, number>();
  for (const { record, openness } of games)
    if (openness === 'open') open.set(record.template, (open.get(record.template) ?? 0) + 1);
  return open;
}

/** As it says itself. One that says -1, as for no limit, has room as its template says: with none nobody would be sent there. */
function maxPlayersOf({ players, placed }: ServiceRecord): number {
  return players.max < 0 ? (placed?.values.maxPlayers ?? 0) : players.max;
}

/** Servers say of themselves what they like in their pings, as -1 of 10 billion players; plugins take only what can be. */
function toCount(players: number): number {
  return Math.min(Math.max(0, players), MAX_COUNT);
}

/** Of flat objects of the same kind. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}

/** Whether link and balancer are told the same by both. */
export function isSameView(
  a: IngressView,
  b: IngressView,
): { readonly network: boolean; readonly entries: boolean } {
  return {
    network:
      b.reborn.size === 0 &&
      a.network.limit === b.network.limit &&
      isSameList(a.network.backends, b.network.backends) &&
      isSameList(a.network.services, b.network.services),
    entries: isSameList(a.entries, b.entries),
  };
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
