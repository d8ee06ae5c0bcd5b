import type { ServiceId } from '#shared/model/service-id.ts';
import type { Standing } from './greeting.ts';
import type { LinkedService } from './link.ts';

/** The services that control tells of, and which have been. */
export class KnownServices {
  #alive: ReadonlyMap<ServiceId, LinkedService> = new Map();
  /** Highest number of each template: numbers only go up, so what is lower and not alive is gone. */
  readonly #highest = new Map<string, number>();
  #isTold = false;

  get proxies(): readonly LinkedService[] {
    return [...this.#alive.values()].filter(({ isProxy }) => isProxy);
  }

  /** @returns those that were alive before */
  set(services: readonly LinkedService[]): ServiceId[] {
    const before = this.#alive;
    this.#alive = new Map(services.map((service) => [service.id, service]));
    this.#isTold = true;
    for (const { id } of services) {
      const { template, number } = partsOf(id);
      if (number > (this.#highest.get(template) ?? 0)) this.#highest.set(template, number);
    }
    return [...before.keys()].filter((id) => !this.#alive.has(id));
  }

  get(service: ServiceId): LinkedService | undefined {
    return this.#alive.get(service);
  }

  /** A service may speak up before control has told of it: it is to come again. */
  standingOf(service: ServiceId): Standing {
    if (this.#alive.has(service)) return 'alive';
    if (!this.#isTold) return 'unknown';
    const { template, number } = partsOf(service);
    return number <= (this.#highest.get(template) ?? 0) ? 'gone' : 'unknown';
  }
}

function partsOf(id: ServiceId): { template: string; number: number } {
  const dash = id.lastIndexOf('-');
  return { template: id.slice(0, dash), number: Number(id.slice(dash + 1)) };
}
