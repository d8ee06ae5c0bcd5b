import type { Platform } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { BackendFeed } from '../registry/backend-feed.ts';
import type { PluginConnection } from '../server/connection.ts';

/** Maximum number of in-game commands that one service may have in progress. */
const MAX_ASKS = 8;

/** A linked plugin: its connection, and which data it has already received. */
export class PluginSession {
  readonly service: ServiceId;
  readonly platform: Platform;
  readonly isProxy: boolean;
  readonly connection: PluginConnection;
  #known: number | null = null;
  #lines: readonly Buffer[] = [];
  #asks = 0;

  constructor(who: Pick<PluginSession, 'service' | 'platform' | 'isProxy' | 'connection'>) {
    this.service = who.service;
    this.platform = who.platform;
    this.isProxy = who.isProxy;
    this.connection = who.connection;
  }

  /**
   * Sends the changes in the list of game servers, but only as fast as the plugin reads. A slow plugin skips
   * intermediate versions, and later gets the latest version.
   */
  feed(backends: BackendFeed): void {
    while (this.connection.hasRoom) {
      const [line, ...rest] = this.#lines;
      if (line !== undefined) {
        this.connection.sendLine(line);
        this.#lines = rest;
      } else {
        this.#lines = backends.linesSince(this.#known);
        this.#known = backends.version;
        if (this.#lines.length === 0) return;
      }
    }
  }

  /**
   * Registers an in-game command as in progress.
   *
   * @returns false if 8 are in progress already
   */
  beginAsk(): boolean {
    if (this.#asks >= MAX_ASKS) return false;
    this.#asks += 1;
    return true;
  }

  /** Registers that an in-game command has finished. Call it once for each successful {@link beginAsk}. */
  endAsk(): void {
    this.#asks -= 1;
  }
}
