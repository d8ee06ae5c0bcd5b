import { isUp } from '#shared/model/service.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { isUnlinked } from './proxies.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { emitServiceEvent, emitMasterTrouble } from '#master/state/feed/emit-event.ts';

/**
 * Time for which a plugin must be disconnected before it is reported (ms). The delay is needed because a plugin
 * reconnects automatically, for example after a restart of the master.
 */
const SILENT_TOLD_AFTER_MS = 10_000;

type Reported = 'linked' | 'silent' | 'unlinked';

type Known = Pick<Environment, 'now'> &
  Pick<ServiceStores, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies' | 'supplies'> &
  Pick<Feed, 'events'>;

/**
 * Writes events about plugins: a plugin connects, a plugin has been disconnected for 10 s, the plugin of a proxy has
 * never connected, plugins cannot connect to the master, proxies run without the plugin.
 */
export class PluginEvents {
  readonly #known: Known;
  /** Last reported state of a service's plugin; dropped together with the service's record. */
  readonly #reported = new WeakMap<ServiceRecord, Reported>();
  #reportedTrouble: string | null = null;
  #hasReportedMissing = false;

  constructor(known: Known) {
    this.#known = known;
  }

  /** Checks all plugins. Call it in every round. */
  update(): void {
    let [hasPlugin, lacksPlugin] = [false, false];
    for (const record of this.#known.records.all) {
      if (isUp(record) && record.placed !== null) {
        if (record.placed.given.plugin !== null) hasPlugin = true;
        else if (record.placed.values.isProxy) lacksPlugin = true;
      }
      this.#checkPlugin(record);
    }
    this.#checkLink(hasPlugin);
    this.#checkSupplies(lacksPlugin);
  }

  #checkPlugin(record: ServiceRecord): void {
    const { plugin } = record;
    const reported = this.#reported.get(record);
    if (plugin === null) {
      this.#checkUnlinked(record);
      return;
    }
    if (plugin.state === reported) return;
    if (plugin.state === 'linked') this.#linked(record, reported);
    else this.#silent(record);
  }

  /** Writes an event about a proxy whose plugin has never connected, once for each of its processes. */
  #checkUnlinked(record: ServiceRecord): void {
    if (!isUp(record) || record.stopping !== null || !isUnlinked(record, this.#known)) {
      this.#reported.delete(record);
      return;
    }
    if (this.#reported.get(record) === 'unlinked') return;
    this.#reported.set(record, 'unlinked');
    emitServiceEvent(this.#known.events, record, {
      kind: 'service.plugin-silent',
      message: `The plugin in ${record.id} has not connected to the master, so ${record.id} probably rejects all players`,
      cause: `the log of ${record.id} shows the reason, for example a blocked port or software that cannot load the plugin`,
    });
  }

  #linked(record: ServiceRecord, reported: Reported | undefined): void {
    this.#reported.set(record, 'linked');
    // For an adopted service, a connected plugin is reported only if it was reported as not connected before.
    if (record.plugin === null || (record.adoptedAt !== null && reported === undefined)) return;
    const isBack = reported === 'silent';
    const { software, version } = record.plugin;
    emitServiceEvent(this.#known.events, record, {
      kind: 'service.plugin-linked',
      message: `The plugin in ${record.id} is linked${isBack ? ' again' : ''}`,
      cause: `version ${version} on ${software}`,
    });
  }

  /**
   * Writes an event about a disconnected plugin once it has been disconnected for 10 s, unless its service is
   * stopping.
   */
  #silent(record: ServiceRecord): void {
    const { plugin, stopping } = record;
    if (plugin === null || stopping !== null || !isUp(record)) return;
    if (this.#known.now() - plugin.since < SILENT_TOLD_AFTER_MS) return;
    this.#reported.set(record, 'silent');
    emitServiceEvent(this.#known.events, record, {
      kind: 'service.plugin-silent',
      message: `The plugin in ${record.id} is silent and keeps working with the last known data`,
      cause: 'it lost its connection to the master, or sends no messages',
    });
  }

  /** Writes an event if plugins cannot connect to the master, and at least one running service has the plugin. */
  #checkLink(isWanted: boolean): void {
    const { error } = this.#known.link.state;
    if (error === null) this.#reportedTrouble = null;
    if (error === null || !isWanted || this.#reportedTrouble === error.code) return;
    this.#reportedTrouble = error.code;
    emitMasterTrouble(
      this.#known.events,
      error.message,
      'Plugins cannot reach the master: players are not counted by proxy, and the global limit is not enforced',
    );
  }

  #checkSupplies(isWanted: boolean): void {
    const { missing } = this.#known.supplies;
    if (missing === null || !isWanted || this.#hasReportedMissing) return;
    this.#hasReportedMissing = true;
    emitMasterTrouble(this.#known.events, missing, "Proxies run without Overworld's plugin");
  }
}
