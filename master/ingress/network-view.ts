import { MAX_COUNT, type Backend } from '#shared/link/messages.ts';
import { softwareFamily, type SoftwareFamily } from '#shared/link/software.ts';
import { isUp } from '#shared/model/service.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import { fillLevel } from '#master/core/snapshot/fill-level.ts';
import type { LinkedService, NetworkView } from '#master/link/link.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import { isUnconfirmed, type ServiceRecord } from '#master/state/services/records.ts';
import type { StartedFrom } from '#master/state/services/started-from.ts';
import { viewNodes, type NodeView } from '#master/state/nodes/node-view.ts';
import { addressForOthers } from './address-for-others.ts';
import { reportedSlots, slotsOn } from './presence.ts';
import { admissionOf, isOpen, makesGoingUnneeded, type Admission } from './accepts-players.ts';
import { isProxyService, isUnlinked } from './proxies.ts';

export type NetworkFacts = Documents &
  Pick<Environment, 'now'> &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceStores, 'records' | 'pinger'> &
  Pick<IngressAccess, 'link' | 'proxies' | 'ownHost'>;

/** State of the network for link and balancer. */
export interface IngressView {
  readonly network: NetworkView;
  /**
   * The proxies for the load balancer. Null while the master does not know yet which of its services are proxies: the
   * entries that an earlier master has made must then stay.
   */
  readonly entries: readonly WantedEntry[] | null;
  /**
   * Services that were restarted with the same id since the last view. The data of their previous processes is
   * dropped.
   */
  readonly reborn: ReadonlySet<LinkedService>;
}

/**
 * The objects that were last published about a service. They are used again as long as their content does not change.
 */
interface LastPublished {
  service?: LinkedService;
  backend?: Backend;
  entry?: WantedEntry;
  /**
   * `placed`: files and values from which the service was started. `is`: software of its jar. Missing until both are
   * known.
   */
  family?: { readonly placed: StartedFrom; readonly is: SoftwareFamily };
  /** Whether the service already had a started process when the last view was built. */
  started: boolean;
}

/** Services that can replace each other for new players: all proxies (null), or the services of one template. */
type Kind = TemplateId | null;

interface Candidate {
  readonly kind: Kind;
  readonly record: ServiceRecord;
  readonly address: NonNullable<ServiceRecord['address']>;
  readonly admission: Admission;
}

/** Builds the view for link and balancer from the service records, with one pass over all services per round. */
export class IngressViewer {
  readonly #known: NetworkFacts;
  /** Last published objects by service; dropped together with the service's record. */
  readonly #last = new WeakMap<ServiceRecord, LastPublished>();
  /** The services of the last view. A service that is requested again under its id has another record. */
  #shown: ReadonlyMap<ServiceId, ServiceRecord> = new Map();
  /** The kinds whose `going` services got new players in the last view. */
  #inNeed: ReadonlySet<Kind> = new Set();

  constructor(known: NetworkFacts) {
    this.#known = known;
  }

  /**
   * Returns the current view. Parts that have not changed since the last call are the same objects. Call it in every
   * round, so that each new process of a service is noticed (`reborn`).
   */
  view(): IngressView {
    const { records, config } = this.#known;
    const nodes = new Map(viewNodes(this.#known).map((node) => [node.id, node]));
    const shown = new Map<ServiceId, ServiceRecord>();
    const services: LinkedService[] = [];
    const reborn = new Set<LinkedService>();
    const candidates: Candidate[] = [];
    for (const record of records.all) {
      const last = this.#lastOf(record);
      const isRestarted = last.started && record.startedAt === null;
      last.started = record.startedAt !== null;
      // A service without a node has no process, as far as the master knows.
      if (record.node === null) continue;
      const isProxy = isProxyService(record, this.#known);
      const service = this.#service(record, isProxy);
      services.push(service);
      shown.set(record.id, record);
      const before = this.#shown.get(record.id);
      if (isRestarted || (before !== undefined && before !== record)) reborn.add(service);
      const candidate = this.#candidateOf(record, isProxy, nodes.get(record.node));
      if (candidate !== null) candidates.push(candidate);
    }
    this.#shown = shown;
    this.#inNeed = this.#findKindsInNeed(candidates);
    return {
      network: {
        limit: config.master.config.max_online_players,
        backends: candidates.filter(({ kind }) => kind !== null).map((game) => this.#backend(game)),
        services,
      },
      entries: this.#entries(candidates),
      reborn,
    };
  }

  /** Returns how players join a service. Null if they do not. */
  #candidateOf(record: ServiceRecord, isProxy: boolean, node: NodeView | undefined): Candidate | null {
    const { address, placed, template } = record;
    if (address === null || placed === null || !(isUp(record) || isUnconfirmed(record))) return null;
    // No player can reach a proxy on a lost node. Without its entry, HAProxy closes its connections.
    if (isProxy && node?.state === 'LOST') return null;
    // A service that is configured as a proxy, but does not run known proxy software, receives players neither as a
    // proxy nor as a game server.
    if (placed.values.isProxy && !isProxy) return null;
    return { kind: isProxy ? null : template, record, address, admission: this.#admissionOf(record, node) };
  }

  #admissionOf(record: ServiceRecord, node: NodeView | undefined): Admission {
    const { config, overrides, pinger } = this.#known;
    const isTemplateGoing =
      overrides.leavingOf(record.template) !== null || !config.templates.has(record.template);
    const ping = pinger.state(record.id);
    return admissionOf(record, { node, ping, isTemplateGoing, isUnlinked: isUnlinked(record, this.#known) });
  }

  /** Returns the kinds whose `going` services get new players now. */
  #findKindsInNeed(candidates: readonly Candidate[]): ReadonlySet<Kind> {
    const limit = this.#known.config.master.config.max_online_players;
    const inNeed = new Set(candidates.map(({ kind }) => kind));
    for (const { kind, record, admission } of candidates) {
      if (admission === 'open' && makesGoingUnneeded(record, this.#inNeed.has(kind), limit))
        inNeed.delete(kind);
    }
    return inNeed;
  }

  #service(record: ServiceRecord, isProxy: boolean): LinkedService {
    const ping = this.#known.pinger.state(record.id)?.answer ?? null;
    return this.#sameOr(record, 'service', {
      id: record.id,
      isProxy: this.#isConfiguredAsProxy(record),
      family: this.#familyOf(record, this.#lastOf(record)),
      // Players on a game server that is wrongly configured as a proxy do not count as a proxy's players.
      pinged: isProxy ? (ping?.players.online ?? null) : null,
    });
  }

  /**
   * Reports whether the service was started from a template that was configured as a proxy. If this is unknown,
   * because an older master placed the service on a node that has not been observed yet, the template's current
   * setting is used. Without this rule, a proxy would lose its part of the player limit, and its plugin would be
   * rejected.
   */
  #isConfiguredAsProxy({ placed, template }: ServiceRecord): boolean {
    const now = this.#known.config.templates.get(template)?.state.config;
    return placed?.values.isProxy ?? now?.isProxy ?? false;
  }

  /**
   * Returns the software with which the service was started, even if another jar was uploaded to the template later.
   * Returns `other` if this software is not known.
   */
  #familyOf({ placed, template }: ServiceRecord, last: LastPublished): SoftwareFamily {
    if (placed === null) return 'other';
    if (last.family?.placed === placed) return last.family.is;
    const { revision, jar } = this.#known.templates.state(template);
    if (jar === null || revision !== placed.revision) return 'other';
    last.family = { placed, is: softwareFamily(jar.software) };
    return last.family.is;
  }

  #backend({ kind, record, address, admission }: Candidate): Backend {
    const { config, overrides, ownHost } = this.#known;
    const template = config.templates.get(record.template)?.state.config;
    // Services of a deleted template are not replaced, so they are closed at once. It is also unknown who may join
    // them, because this setting was deleted with the template.
    const isGoing = template === undefined || overrides.leavingOf(record.template) !== null;
    return this.#sameOr(record, 'backend', {
      id: record.id,
      template: record.template,
      name: template?.name ?? record.template,
      ...addressForOthers(address, ownHost),
      fallback: template?.isFallback ?? false,
      permission: template?.joinPermission ?? '',
      players: toCount(record.players.online),
      maxPlayers: toCount(reportedSlots(record)),
      fillLevel: this.#slotsOf(record).fillLevel,
      open: !isGoing && isOpen(admission, this.#inNeed.has(kind)),
    });
  }

  #entries(candidates: readonly Candidate[]): WantedEntry[] | null {
    if (!this.#known.proxies.areKnown) return null;
    return candidates.filter(({ kind }) => kind === null).map((proxy) => this.#entry(proxy));
  }

  #entry({ kind, record, address, admission }: Candidate): WantedEntry {
    return this.#sameOr(record, 'entry', {
      id: record.id,
      ...address,
      proxyProtocol: record.placed?.given.proxyProtocol ?? false,
      open: isOpen(admission, this.#inNeed.has(kind)),
      ...this.#slotsOf(record),
    });
  }

  /**
   * Returns the current number of slots of a service, and its fill level: the number of players from which new
   * players go to emptier services first.
   */
  #slotsOf(record: ServiceRecord): { readonly maxPlayers: number; readonly fillLevel: number } {
    const maxPlayers = slotsOn(record, this.#known.config.master.config.max_online_players);
    const template = this.#known.config.templates.get(record.template)?.state.config;
    // If the template no longer exists, the default fill level applies.
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

/**
 * Limits a player count to valid values. An answer to a ping may contain any number, but plugins accept only possible
 * ones.
 *
 * Example: -1 → 0.
 */
function toCount(players: number): number {
  return Math.min(Math.max(0, players), MAX_COUNT);
}

/** Reports whether two objects with the same keys have equal values. Values are compared by identity, not deeply. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}

/** Reports whether two views have equal content for the link (`network`) and for the balancer (`entries`). */
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

function isSameList<T>(a: readonly T[] | null, b: readonly T[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
