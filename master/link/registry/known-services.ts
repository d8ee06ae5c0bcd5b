import type { ServiceId } from '#shared/model/service-id.ts';
import type { Standing } from '../server/greeting.ts';
import type { LinkedService } from '../link.ts';

/** Most services that are remembered as gone; an older one is told to come again, in vain. */
const MAX_GONE = 50_000;

/** The services that control tells of, and which have been. */
export class KnownServices {
  #alive: ReadonlyMap<ServiceId, LinkedService> = new Map();
  #proxies: readonly LinkedService[] = [];
  readonly #gone = new Set<ServiceId>();

  /** Asked for at each join and leave, so they are not looked for among all services each time. */
  get proxies(): readonly LinkedService[] {
    return this.#proxies;
  }

  /** @returns those that were alive before */
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
   * Only who was alive before is told to be gone, for good. Others may be new, or on a node that a master without state
   * has not looked at yet: they are to come again.
   */
  standingOf(service: ServiceId): Standing {
    if (this.#alive.has(service)) return 'alive';
    return this.#gone.has(service) ? 'gone' : 'unknown';
  }
}
