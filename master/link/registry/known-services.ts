import type { ServiceId } from '#shared/model/service-id.ts';
import type { Standing } from '../server/greeting.ts';
import type { LinkedService } from '../link.ts';

/**
 * Maximum number of exited services to store. If an exited service is no longer stored, its plugin is asked to try
 * again later, and keeps trying.
 */
const MAX_GONE = 50_000;

/** The services that run, and the services that have exited. */
export class KnownServices {
  #alive: ReadonlyMap<ServiceId, LinkedService> = new Map();
  #proxies: readonly LinkedService[] = [];
  readonly #gone = new Set<ServiceId>();

  /** Proxies among the running services. Cached, because the list is read for each join and leave. */
  get proxies(): readonly LinkedService[] {
    return this.#proxies;
  }

  /**
   * Replaces the list of running services.
   *
   * @returns ids of services that no longer run
   */
  set(services: readonly LinkedService[]): ServiceId[] {
    const before = this.#alive;
    this.#alive = new Map(services.map((service) => [service.id, service]));
    this.#proxies = [...this.#alive.values()].filter(({ isProxy }) => isProxy);
    const gone = [...before.keys()].filter((id) => !this.#alive.has(id));
    for (const id of gone) this.#gone.add(id);
    for (const id of this.#gone) {
      if (this.#gone.size <= MAX_GONE) break;
      this.#gone.delete(id);
    }
    return gone;
  }

  /** Returns a running service. Undefined if it does not run. */
  get(service: ServiceId): LinkedService | undefined {
    return this.#alive.get(service);
  }

  /**
   * Returns whether a service runs (`alive`), has exited (`gone`), or is unknown. The plugin of a `gone` service is
   * refused permanently. `gone` is returned only for a service that ran before, and only for the last 50,000 services
   * that have exited. An unknown service may be new. Or it may run on a node that has not been observed yet by a
   * master that has lost its state folder. Its plugin is therefore asked to try again later.
   */
  standingOf(service: ServiceId): Standing {
    if (this.#alive.has(service)) return 'alive';
    return this.#gone.has(service) ? 'gone' : 'unknown';
  }
}
