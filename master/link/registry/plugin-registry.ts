import { monotonicMs } from '#shared/node/clock.ts';
import type { Plugin } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { PluginSession } from '../sessions/plugin-session.ts';
import type { Hello } from '../server/greeting.ts';
import type { PluginReport } from '../link.ts';

/** The linked plugins, and the last reports of all plugins, including those that are not linked any more. */
export class PluginRegistry {
  readonly #now: () => number;
  readonly #registry = new Map<ServiceId, PluginSession>();
  readonly #reports = new Map<ServiceId, PluginReport>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of linked plugins. */
  get size(): number {
    return this.#registry.size;
  }

  /** Sessions of all linked plugins. */
  get all(): Iterable<PluginSession> {
    return this.#registry.values();
  }

  /** Returns the session of a service's plugin. Undefined if it is not linked. */
  get(service: ServiceId): PluginSession | undefined {
    return this.#registry.get(service);
  }

  /** Returns the last report of a service's plugin, linked or not. Null if it was never linked. */
  report(service: ServiceId): PluginReport | null {
    return this.#reports.get(service) ?? null;
  }

  /**
   * Adds a session.
   *
   * @returns the older session of the same service, which the new one replaces; undefined if there is none
   */
  enter(session: PluginSession, hello: Hello): PluginSession | undefined {
    const { service } = session;
    const older = this.#registry.get(service);
    this.#registry.set(service, session);
    const { platform, software, plugin: version } = hello;
    const before = this.#reports.get(service);
    const since = older === undefined ? this.#now() : (before?.plugin.since ?? this.#now());
    const plugin: Plugin = { state: 'linked', platform, software, version, since };
    const unreported = { inUse: null, isUseReported: false, count: null };
    this.#reports.set(service, { ...unreported, ...before, plugin, silentSince: null });
    return older;
  }

  /**
   * Removes a session.
   *
   * @returns false if the session of a newer connection has already replaced it
   */
  leave(session: PluginSession): boolean {
    if (this.#registry.get(session.service) !== session) return false;
    this.#registry.delete(session.service);
    const report = this.#reports.get(session.service);
    if (report !== undefined) {
      const plugin: Plugin = { ...report.plugin, state: 'silent', since: this.#now() };
      this.#reports.set(session.service, { ...report, plugin, silentSince: monotonicMs() });
    }
    return true;
  }

  /** Changes values in the report of a plugin. Does nothing if the plugin was never linked. */
  note(service: ServiceId, change: Partial<Pick<PluginReport, 'inUse' | 'isUseReported' | 'count'>>): void {
    const report = this.#reports.get(service);
    if (report !== undefined) this.#reports.set(service, { ...report, ...change });
  }

  /**
   * Removes a service and its last report.
   *
   * @returns the service's session, which the caller must close; undefined if its plugin is not linked
   */
  forget(service: ServiceId): PluginSession | undefined {
    const session = this.#registry.get(service);
    this.#registry.delete(service);
    this.#reports.delete(service);
    return session;
  }
}
