import type { Result } from '#shared/rpc/contract.ts';
import type { Service, ServiceId } from '#shared/model/service.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { addressForOthers } from '#master/ingress/address-for-others.ts';
import { reportedSlots } from '#master/ingress/presence.ts';

/**
 * Number of the latest removals that are always stored. An app that was disconnected for a short time then fetches
 * only the changes. Older removals are dropped once more than twice as many are stored.
 */
const REMEMBERED = 10_000;

interface Entry {
  readonly service: Service;
  readonly revision: number;
}

/** The services as the app displays them. Each change gets a revision number, so that only changes are sent. */
export class ServiceFeed {
  readonly #entries = new Map<ServiceId, Entry>();
  #removed: { readonly id: ServiceId; readonly revision: number }[] = [];
  #revision = 0;

  /**
   * Replaces the list of services.
   *
   * @returns true if anything changed
   */
  update(services: readonly Service[]): boolean {
    const before = this.#revision;
    const ids = new Set<ServiceId>();
    for (const service of services) {
      ids.add(service.id);
      const published = this.#entries.get(service.id)?.service;
      if (published !== undefined && isSameData(published, service)) continue;
      this.#revision += 1;
      this.#entries.set(service.id, { service, revision: this.#revision });
    }
    for (const id of this.#entries.keys()) {
      if (ids.has(id)) continue;
      this.#revision += 1;
      this.#entries.delete(id);
      this.#removed.push({ id, revision: this.#revision });
    }
    if (this.#removed.length > REMEMBERED * 2) this.#removed = this.#removed.slice(-REMEMBERED);
    return this.#revision !== before;
  }

  /** Returns a service as of the last update. Undefined if there is none with this id. */
  get(id: ServiceId): Service | undefined {
    return this.#entries.get(id)?.service;
  }

  /**
   * Returns the changes since a revision. Returns all services if the revision is missing, higher than the current
   * one (it comes from another run of the master), or older than the oldest stored removal.
   */
  since(revision: number | undefined): Omit<Result<'services.list'>, 'network'> {
    const entries = [...this.#entries.values()];
    const oldest = this.#removed[0]?.revision ?? 0;
    const forgotten = this.#removed.length >= REMEMBERED && revision !== undefined && revision < oldest;
    if (revision === undefined || revision > this.#revision || forgotten) {
      const services = entries.map((entry) => entry.service);
      return { revision: this.#revision, complete: true, services, removed: [] };
    }
    return {
      revision: this.#revision,
      complete: false,
      services: entries.filter((entry) => entry.revision > revision).map((entry) => entry.service),
      removed: this.#removed.filter((gone) => gone.revision > revision).map((gone) => gone.id),
    };
  }
}

/**
 * Reports whether two plain values of the same type are equal, key by key. Runs for all services in every round, so
 * to save time it checks only the keys of `a`. Objects must therefore have no optional fields.
 */
function isSameData(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  for (const key in a) if (!isSameData(a[key], b[key])) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Facts about a service for the admin API that are not in its record. */
interface Beside {
  readonly ramMb: number;
  readonly outdated: string[];
  readonly shownHost: string;
}

/**
 * Converts a record to a service of the admin API.
 *
 * @param beside.ramMb RAM that the service takes, or will take, on a node (MB)
 * @param beside.outdated what has changed since the service was started
 * @param beside.shownHost address of the master's machine as shown to admins
 */
export function toService(record: ServiceRecord, { ramMb, outdated, shownHost }: Beside): Service {
  return {
    id: record.id,
    template: record.template,
    state: record.state,
    since: record.since,
    requestedAt: record.requestedAt,
    cause: record.cause,
    stopping: record.stopping === null ? null : { ...record.stopping, restart: record.restarting },
    retiring: record.retiring,
    draining: record.draining,
    outdated,
    waiting: record.waiting,
    held: record.held,
    failure: record.failure,
    node: record.node,
    address: record.address === null ? null : addressForOthers(record.address, shownHost),
    players: { online: record.players.online, max: reportedSlots(record) },
    ramMb,
    revision: record.placed?.revision ?? null,
    unusedSince: record.unusedSince,
    unresponsive: record.unresponsive,
    pid: record.pid,
    plugin: record.plugin,
  };
}
