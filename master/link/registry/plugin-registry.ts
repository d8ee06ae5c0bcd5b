import type { Plugin } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { Guest } from '../sessions/plugin-session.ts';
import type { Hello } from '../server/greeting.ts';
import type { Heard } from '../link.ts';

/** Which plugins are linked, and what has been heard of those that were. */
export class GuestBook {
  readonly #now: () => number;
  readonly #guests = new Map<ServiceId, Guest>();
  readonly #heard = new Map<ServiceId, Heard>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#guests.size;
  }

  get all(): Iterable<Guest> {
    return this.#guests.values();
  }

  get(service: ServiceId): Guest | undefined {
    return this.#guests.get(service);
  }

  heard(service: ServiceId): Heard | null {
    return this.#heard.get(service) ?? null;
  }

  /** @returns the connection whose place is taken, and whether the service was not linked until now */
  enter(guest: Guest, hello: Hello): Guest | undefined {
    const { service } = guest;
    const older = this.#guests.get(service);
    this.#guests.set(service, guest);
    const { platform, software, plugin: version } = hello;
    const before = this.#heard.get(service);
    const since = older === undefined ? this.#now() : (before?.plugin.since ?? this.#now());
    const plugin: Plugin = { state: 'linked', platform, software, version, since };
    this.#heard.set(service, { inUse: null, count: null, ...before, plugin, silentSince: null });
    return older;
  }

  /** @returns false when another connection has taken its place before */
  leave(guest: Guest): boolean {
    if (this.#guests.get(guest.service) !== guest) return false;
    this.#guests.delete(guest.service);
    const heard = this.#heard.get(guest.service);
    if (heard !== undefined) {
      const plugin: Plugin = { ...heard.plugin, state: 'silent', since: this.#now() };
      this.#heard.set(guest.service, { ...heard, plugin, silentSince: performance.now() });
    }
    return true;
  }

  note(service: ServiceId, said: Partial<Pick<Heard, 'inUse' | 'count'>>): void {
    const heard = this.#heard.get(service);
    if (heard !== undefined) this.#heard.set(service, { ...heard, ...said });
  }

  /** @returns its connection, to be cut */
  forget(service: ServiceId): Guest | undefined {
    const guest = this.#guests.get(service);
    this.#guests.delete(service);
    this.#heard.delete(service);
    return guest;
  }
}
