import { monotonicMs } from '#shared/node/clock.ts';
import type { MasterMessage } from '#shared/link/messages.ts';
import type { BackendFeed } from '../registry/backend-feed.ts';
import type { PluginRegistry } from '../registry/plugin-registry.ts';
import type { PluginSession } from './plugin-session.ts';
import { Throttle } from '#shared/node/throttle.ts';
import type { LinkTiming } from '../timing.ts';

interface AnnouncerParts {
  readonly registry: PluginRegistry;
  readonly feed: BackendFeed;
  readonly timing: LinkTiming;
  /** Returns the current player count and player limit of the network. */
  readonly numbers: () => { readonly online: number; readonly limit: number };
}

/**
 * Sends the data that all plugins need: player count and limit of the network, the list of game servers, and
 * heartbeats.
 */
export class NetworkBroadcaster {
  readonly #options: AnnouncerParts;
  readonly #numbers: Throttle;
  readonly #toProxies: Throttle;
  readonly #toServers: Throttle;
  readonly #heartbeat: NodeJS.Timeout;
  #sentNumbers = '';

  constructor(options: AnnouncerParts) {
    this.#options = options;
    const { timing } = options;
    this.#numbers = new Throttle(
      () => timing.networkMs,
      () => this.#sendNumbers(),
    );
    this.#toProxies = new Throttle(
      () => timing.backendsMs,
      () => this.#sendBackends(true),
    );
    this.#toServers = new Throttle(
      () => timing.backendsOfServersMs,
      () => this.#sendBackends(false),
    );
    this.#heartbeat = setInterval(() => this.#beat(), timing.heartbeatMs);
  }

  /** Sends player count and limit to all plugins if they have changed, at most once per `timing.networkMs`. */
  numbersChanged(): void {
    this.#numbers.call();
  }

  /**
   * Sends the changed list of game servers to all plugins: to proxies at most once per `timing.backendsMs`, to game
   * servers at most once per `timing.backendsOfServersMs`.
   */
  backendsChanged(): void {
    this.#toProxies.call();
    this.#toServers.call();
  }

  /** Sends all data to a session that has just begun. */
  sendAll(session: PluginSession): void {
    const message = this.#message();
    session.connection.send(message);
    // If the numbers return to those of the last broadcast, this session still needs them.
    if (JSON.stringify(message) !== this.#sentNumbers) this.#sentNumbers = '';
    session.feed(this.#options.feed);
  }

  /** Stops heartbeats and pending messages. */
  close(): void {
    clearInterval(this.#heartbeat);
    for (const throttle of [this.#numbers, this.#toProxies, this.#toServers]) throttle.close();
  }

  #message(): MasterMessage {
    return { type: 'network', ...this.#options.numbers() };
  }

  #sendNumbers(): void {
    const text = JSON.stringify(this.#message());
    if (text === this.#sentNumbers) return;
    this.#sentNumbers = text;
    const line = Buffer.from(`${text}\n`);
    for (const { connection } of this.#options.registry.all) connection.sendLine(line);
  }

  #sendBackends(toProxies: boolean): void {
    const { registry, feed } = this.#options;
    for (const session of registry.all) if (session.isProxy === toProxies) session.feed(feed);
  }

  #beat(): void {
    const silentSince = monotonicMs() - this.#options.timing.silentAfterMs;
    for (const { connection } of this.#options.registry.all) {
      if (connection.lastMessageAt < silentSince) connection.cut('no message received for too long');
      else connection.send({ type: 'ping' });
    }
  }
}
