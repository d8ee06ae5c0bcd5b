import type { Backend } from '#shared/link/messages.ts';
import type { NodeState } from '#shared/model/node.ts';
import { isUp } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { WantedEntry } from '#master/balancer/balancer.ts';
import type { LinkedService, NetworkView } from '#master/link/link.ts';
import type { Parts } from '../parts.ts';
import type { ServiceRecord } from '../records.ts';
import { viewNodes } from '../snapshot.ts';
import { isOpen, opennessOf, type Openness } from './openness.ts';
import { isProxyService } from './proxies.ts';

export type Known = Pick<Parts, 'config' | 'records' | 'proxies' | 'provider' | 'holds' | 'pinger' | 'link'>;

/** What the link and the balancer are to know of the network. */
export interface WayInView {
  readonly network: NetworkView;
  readonly entries: readonly WantedEntry[];
}

/** What was told of a service the last time: the same object is told again as long as it says the same. */
interface Told {
  service?: LinkedService;
  backend?: Backend;
  entry?: WantedEntry;
}

interface Candidate {
  readonly record: ServiceRecord;
  readonly address: NonNullable<ServiceRecord['address']>;
  readonly openness: Openness;
}

/** Puts the records into the words of link and balancer: one look at each service a round, whatever their number. */
export class WayInViewer {
  readonly #known: Known;
  /** Forgotten with the record. */
  readonly #told = new WeakMap<ServiceRecord, Told>();

  constructor(known: Known) {
    this.#known = known;
  }

  look(): WayInView {
    const { records, config } = this.#known;
    const nodes = new Map(viewNodes(this.#known).map(({ id, state }) => [id, state]));
    const services: LinkedService[] = [];
    const games: Candidate[] = [];
    const proxies: Candidate[] = [];
    for (const record of records.all) {
      if (!mayLive(record)) continue;
      const isProxy = isProxyService(record, this.#known);
      services.push(this.#service(record, isProxy));
      const { address, placed } = record;
      if (address === null || placed === null || !isUp(record)) continue;
      const node = record.node === null ? undefined : nodes.get(record.node);
      if (isProxy) proxies.push({ record, address, openness: this.#openness(record, isGoingAsProxy(node)) });
      // One whose template calls it a proxy, and which none is as far as anybody knows, is nothing to be sent to either.
      else if (!placed.values.isProxy)
        games.push({ record, address, openness: this.#openness(record, node === 'DRAINING') });
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
    };
  }

  #openness(record: ServiceRecord, isGoing: boolean): Openness {
    const { config, holds } = this.#known;
    const template = record.template;
    return opennessOf(
      record,
      isGoing || holds.leavingOf(template) !== null || !config.templates.has(template),
    );
  }

  #service(record: ServiceRecord, isProxy: boolean): LinkedService {
    const ping = this.#known.pinger.state(record.id)?.answer ?? null;
    return this.#sameOr(record, 'service', {
      id: record.id,
      isProxy: record.placed?.values.isProxy ?? isProxy,
      // Of a game server that only passes for a proxy nobody is counted as a proxy's player.
      pinged: isProxy ? (ping?.players.online ?? null) : null,
    });
  }

  #backend({ record, address, openness }: Candidate, others: number): Backend {
    const config = this.#known.config.templates.get(record.template)?.state.config;
    return this.#sameOr(record, 'backend', {
      id: record.id,
      template: record.template,
      name: config?.name ?? record.template,
      ...address,
      fallback: config?.isFallback ?? false,
      permission: config?.joinPermission ?? '',
      players: record.players.online,
      maxPlayers: record.players.max,
      // Without its template nobody knows who may enter.
      open: config !== undefined && isOpen(openness, others),
    });
  }

  #entry({ record, address, openness }: Candidate, others: number): WantedEntry {
    return this.#sameOr(record, 'entry', {
      id: record.id,
      ...address,
      proxyProtocol: record.placed?.given.proxyProtocol ?? false,
      open: isOpen(openness, others),
    });
  }

  #sameOr<K extends keyof Told>(
    record: ServiceRecord,
    key: K,
    now: NonNullable<Told[K]>,
  ): NonNullable<Told[K]> {
    let told = this.#told.get(record);
    if (told === undefined) this.#told.set(record, (told = {}));
    const before = told[key];
    if (before !== undefined && isSame(before, now)) return before;
    told[key] = now;
    return now;
  }
}

/**
 * Has a process as far as anybody knows. One that is laid out has none yet, so that a service which begins again under its
 * id has lost what its earlier life had; one that is only known from disk may have one.
 */
function mayLive({ node, state }: ServiceRecord): boolean {
  return node !== null && state !== 'PREPARING';
}

function isGoingAsProxy(node: NodeState | undefined): boolean {
  return node === 'DRAINING' || node === 'CORDONED';
}

function countOpen(games: readonly Candidate[]): ReadonlyMap<TemplateId, number> {
  const open = new Map<TemplateId, number>();
  for (const { record, openness } of games)
    if (openness === 'open') open.set(record.template, (open.get(record.template) ?? 0) + 1);
  return open;
}

/** Of flat objects of the same kind. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}

/** Says the same to both, as far as they are told. */
export function isSameView(
  a: WayInView,
  b: WayInView,
): { readonly network: boolean; readonly entries: boolean } {
  return {
    network:
      a.network.limit === b.network.limit &&
      isSameList(a.network.backends, b.network.backends) &&
      isSameList(a.network.services, b.network.services),
    entries: isSameList(a.entries, b.entries),
  };
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
