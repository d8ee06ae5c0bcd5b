import { monotonicMs } from '#shared/node/clock.ts';
import type { Plugin } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { PluginSession } from '../sessions/plugin-session.ts';
import type { Hello } from '../server/greeting.ts';
import type { Heard } from '../link.ts';

/** The linked plugins, and the last reports of those that were linked. */
export class PluginRegistry {
  readonly #now: () => number;
  readonly #registry = new Map<ServiceId, PluginSession>();
  readonly #heard = new Map<ServiceId, Heard>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#registry.size;
  }

  get all(): Iterable<PluginSession> {
    return this.#registry.values();
  }

  get(service: ServiceId): PluginSession | undefined {
    return this.#registry.get(service);
  }

  heard(service: ServiceId): Heard | null {
    return this.#heard.get(service) ?? null;
  }

  /**
   * Adds a session.
   *
   * @returns the older session of the same service that it replaces, if any
   */
  enter(session: PluginSession, hello: Hello): PluginSession | undefined {
    const { service } = session;
    const older = this.#registry.get(service);
    this.#registry.set(service, session);
    const { platform, software, plugin: version } = hello;
    const before = this.#heard.get(service);
    const since = older === undefined ? this.#now() : (before?.plugin.since ?? this.#now());
    const plugin: Plugin = { state: 'linked', platform, software, version, since };
    this.#heard.set(service, { inUse: null, count: null, ...before, plugin, silentSince: null });
    return older;
  }

  /**
   * Removes a session.
   *
   * @returns false if another connection has already replaced it
   */
  leave(session: PluginSession): boolean {
    if (this.#registry.get(session.service) !== session) return false;
    this.#registry.delete(session.service);
    const heard = this.#heard.get(session.service);
    if (heard !== undefined) {
      const plugin: Plugin = { ...heard.plugin, state: 'silent', since: this.#now() };
      this.#heard.set(session.service, { ...heard, plugin, silentSince: monotonicMs() });
    }
    return true;
  }

  note(service: ServiceId, said: Partial<Pick<Heard, 'inUse' | 'count'>>): void {
    const heard = this.#heard.get(service);
    if (heard !== undefined) this.#heard.set(service, { ...heard, ...said });
  }

  /**
   * Removes a service.
   *
   * @returns its session, which the caller must close
   */
  forget(service: ServiceId): PluginSession | undefined {
    const session = this.#registry.get(service);
    this.#registry.delete(service);
    this.#heard.delete(service);
    return session;
  }
}
