import type { ServiceId } from '#shared/model/service-id.ts';
import type { Standing } from '../server/greeting.ts';
import type { LinkedService } from '../link.ts';

/** Maximum number of exited services to remember. The plugin of an older one is asked to try again later, in vain. */
const MAX_GONE = 50_000;

/** The services that run, and those that have exited. */
export class KnownServices {
  #alive: ReadonlyMap<ServiceId, LinkedService> = new Map();
  #proxies: readonly LinkedService[] = [];
  readonly #gone = new Set<ServiceId>();

  /** Cached, as it is read for each join and leave. */
  get proxies(): readonly LinkedService[] {
    return this.#proxies;
  }

  /**
   * Replaces the running services.
   *
   * @returns ids of those that no longer run
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

  get(service: ServiceId): LinkedService | undefined {
    return this.#alive.get(service);
  }

  /**
   * Returns the standing of a service. Only a service that ran before can be `gone`, which is final. Any other
   * service may be new, or run on a node that a master without state has not observed yet, so its plugin is asked
   * to try again later.
   */
  standingOf(service: ServiceId): Standing {
    if (this.#alive.has(service)) return 'alive';
    return this.#gone.has(service) ? 'gone' : 'unknown';
  }
}
