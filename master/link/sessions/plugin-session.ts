import type { Platform } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { BackendFeed } from '../registry/backend-feed.ts';
import type { Connection } from '../server/connection.ts';

/** Most questions of admins in game that may be open at once on one service. */
const MAX_ASKS = 8;

/** A plugin that is linked: its connection, and what it knows already. */
export class PluginSession {
  readonly service: ServiceId;
  readonly platform: Platform;
  readonly isProxy: boolean;
  readonly connection: Connection;
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
   * Sends what has changed in the list of game servers, as far as the plugin reads: it is never more behind than by what
   * waits here, and catches up in one go.
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

  /** @returns false when too many questions are open */
  beginAsk(): boolean {
    if (this.#asks >= MAX_ASKS) return false;
    this.#asks += 1;
    return true;
  }

  endAsk(): void {
    this.#asks -= 1;
  }
}
