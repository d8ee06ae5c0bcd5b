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
import { isUnconfirmed, type ServiceRecord } from '#master/control/services/records.ts';
import type { StartedFrom } from '#master/control/services/started-from.ts';
import { viewNodes } from '#master/control/loop/take-snapshot.ts';
import { addressForOthers } from './address.ts';
import { placesOn } from './presence.ts';
import { isOpen, admissionOf, type Admission } from './admission.ts';
import { isProxyService } from './proxies.ts';

export type Known = Documents &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceState, 'records' | 'pinger'> &
  Pick<IngressAccess, 'link' | 'proxies' | 'ownHost'>;

/** The network as link and balancer need it. */
export interface IngressView {
  readonly network: NetworkView;
  readonly entries: readonly WantedEntry[];
  /**
   * Services that were restarted under their ids since the last view. What belonged to their previous process is
   * dropped.
   */
  readonly reborn: ReadonlySet<LinkedService>;
}

/** What was last reported of a service. The same object is reused as long as its content is the same. */
interface LastPublished {
  service?: LinkedService;
  backend?: Backend;
  entry?: WantedEntry;
  /** What the service was started from, with the software of its jar, once both are known. */
  family?: { readonly placed: StartedFrom; readonly is: SoftwareFamily };
  /** Whether the service was started at the last look. */
  started: boolean;
}

interface Candidate {
  readonly record: ServiceRecord;
  readonly address: NonNullable<ServiceRecord['address']>;
  readonly openness: Admission;
}

/** Builds the view of link and balancer from the records, with one pass over all services per round. */
export class IngressViewer {
  readonly #known: Known;
  /** Reports per service; dropped together with the record. */
  readonly #last = new WeakMap<ServiceRecord, LastPublished>();

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
      const last = this.#lastOf(record);
      const began = last.started && record.startedAt === null;
      last.started = record.startedAt !== null;
      // Without a node it has no process, as far as the master knows.
      if (record.node === null) continue;
      const isProxy = isProxyService(record, this.#known);
      const service = this.#service(record, isProxy);
      services.push(service);
      if (began) reborn.add(service);
      const { address, placed } = record;
      if (address === null || placed === null || !(isUp(record) || isUnconfirmed(record))) continue;
      const node = nodes.get(record.node);
      if (isProxy) proxies.push({ record, address, openness: this.#opennessOfProxy(record, node) });
      // A service that its template calls a proxy but that is not known as one receives no players in either role.
      else if (!placed.values.isProxy)
        games.push({ record, address, openness: admissionOf(record, node === 'DRAINING') });
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

  /** A proxy that has not answered this master yet may have all players on it, so it stays open until it answers. */
  #opennessOfProxy(record: ServiceRecord, node: NodeState | undefined): Admission {
    const { config, overrides } = this.#known;
    if (isUnconfirmed(record) && record.stopping === null && record.draining === null) return 'open';
    const isTemplateGoing =
      overrides.leavingOf(record.template) !== null || !config.templates.has(record.template);
    return admissionOf(record, isTemplateGoing || node === 'DRAINING' || node === 'CORDONED');
  }

  #service(record: ServiceRecord, isProxy: boolean): LinkedService {
    const ping = this.#known.pinger.state(record.id)?.answer ?? null;
    return this.#sameOr(record, 'service', {
      id: record.id,
      isProxy: record.placed?.values.isProxy ?? false,
      family: this.#familyOf(record, this.#lastOf(record)),
      // Players on a game server that is wrongly configured as a proxy do not count as a proxy's players.
      pinged: isProxy ? (ping?.players.online ?? null) : null,
    });
  }

  /** Ignores a jar that was uploaded to the template after the service was started. */
  #familyOf({ placed, template }: ServiceRecord, last: LastPublished): SoftwareFamily {
    if (placed === null) return 'other';
    if (last.family?.placed === placed) return last.family.is;
    const { revision, jar } = this.#known.templates.state(template);
    if (jar === null || revision !== placed.revision) return 'other';
    last.family = { placed, is: softwareFamily(jar.software) };
    return last.family.is;
  }

  #backend({ record, address, openness }: Candidate, others: number): Backend {
    const { config, overrides, ownHost } = this.#known;
    const template = config.templates.get(record.template)?.state.config;
    // No other service will replace it, so it is closed at once. Without its template it is unknown who may enter.
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

  /**
   * Returns the places that a service has now, and how many of them are filled before an emptier service gets
   * players.
   */
  #placesOf(record: ServiceRecord): { readonly maxPlayers: number; readonly fillLevel: number } {
    const maxPlayers = placesOn(record, this.#known.config.master.config.max_online_players);
    const template = this.#known.config.templates.get(record.template)?.state.config;
    // Without its template the default fill level applies.
    const level = fillLevel(template ?? { startNewServiceAtTemplateCapacity: 0 }, maxPlayers);
    return { maxPlayers, fillLevel: level };
  }

  #lastOf(record: ServiceRecord): LastPublished {
    let last = this.#last.get(record);
    if (last === undefined) this.#last.set(record, (last = { started: false }));
    return last;
  }

  #sameOr<K extends 'service' | 'backend' | 'entry'>(
    record: ServiceRecord,
    key: K,
    now: NonNullable<LastPublished[K]>,
  ): NonNullable<LastPublished[K]> {
    const last = this.#lastOf(record);
    const before = last[key];
    if (before !== undefined && isSame(before, now)) return before;
    last[key] = now;
    return now;
  }
}

function countOpen(games: readonly Candidate[]): ReadonlyMap<TemplateId, number> {
  const open = new Map<TemplateId, number>();
  for (const { record, openness } of games)
    if (openness === 'open') open.set(record.template, (open.get(record.template) ?? 0) + 1);
  return open;
}

/**
 * Returns the player limit that the service reports. For -1 (no limit) it uses the template's value, as a limit of
 * 0 would send no player there.
 */
function maxPlayersOf({ players, placed }: ServiceRecord): number {
  return players.max < 0 ? (placed?.values.maxPlayers ?? 0) : players.max;
}

/**
 * Limits a player count to valid values. Pings may contain any number, but plugins accept only possible ones.
 *
 * Example: -1 → 0.
 */
function toCount(players: number): number {
  return Math.min(Math.max(0, players), MAX_COUNT);
}

/** Compares flat objects with the same keys. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}

/** Reports whether two views say the same to the link (`network`) and to the balancer (`entries`). */
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
