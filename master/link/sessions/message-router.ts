import type { Logger } from 'pino';
import type { PluginMessage } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { AllowanceKeeper } from '../limit/allowance-keeper.ts';
import type { PluginRegistry } from '../registry/plugin-registry.ts';
import type { PluginSession } from './plugin-session.ts';
import type { StopService } from '../link.ts';
import type { Listeners } from '../listeners.ts';
import { RareWarning } from '../server/rare-warning.ts';
import { MAX_SESSIONS, type PlayerSessions, type SessionChange } from './player-sessions.ts';

/** Maximum length of the answer to a command that a player enters in game (characters). */
const MAX_ANSWER = 1_000;

/**
 * Tells a player who is kicked from a proxy that the player has joined through another proxy. Older plugins show this
 * message, newer plugins their own text.
 */
const TWIN = { message: 'You joined this network from another location.', reason: 'other-location' } as const;

export interface RouterOptions {
  readonly log: Logger;
  readonly sessions: PlayerSessions;
  readonly registry: PluginRegistry;
  readonly keeper: AllowanceKeeper;
  readonly listeners: Listeners;
  /** Called when players have joined, switched or left. */
  readonly onPlayers: () => void;
  readonly stopService: () => StopService | null;
}

/** Types of messages that only a proxy may send. */
const PROXY_WORDS: ReadonlySet<PluginMessage['type']> = new Set([
  ...(['players', 'joined', 'switched', 'left'] as const),
  ...(['allowance', 'more', 'limit-reached', 'stop-service'] as const),
]);

/** Passes messages of linked plugins to the parts that handle them. */
export class MessageRouter {
  readonly #options: RouterOptions;
  readonly #twins: RareWarning;

  constructor(parts: RouterOptions) {
    this.#options = parts;
    this.#twins = new RareWarning(
      parts.log,
      'players who were on two proxies were disconnected from the first one',
    );
  }

  /**
   * Handles a message of a linked plugin. Closes the connection in three cases: at a second greeting, if a game
   * server sends a message that only a proxy may send, and if a proxy reports more than {@link MAX_SESSIONS} players.
   */
  route(session: PluginSession, message: PluginMessage): void {
    if (!session.isProxy && PROXY_WORDS.has(message.type)) {
      session.connection.cut(`it is not a proxy, but sent '${message.type}'`);
      return;
    }
    switch (message.type) {
      case 'hello':
        session.connection.cut('it sent a second greeting');
        break;
      case 'players':
      case 'joined':
      case 'switched':
      case 'left':
        this.#handlePlayers(session, message);
        break;
      case 'allowance':
      case 'more':
      case 'limit-reached':
        this.#handleSlots(session, message);
        break;
      case 'in-use':
      case 'count':
        this.#handleUse(session.service, message);
        break;
      case 'stop-service':
        void this.#stopService(session, message);
        break;
      case 'pong':
        break;
    }
  }

  /**
   * Reports session changes to the listeners. A player who is on two proxies is kicked from the proxy with the older
   * session.
   */
  emitSessionChanges(changes: readonly SessionChange[]): void {
    if (changes.length === 0) return;
    const { sessions, registry, listeners, onPlayers } = this.#options;
    for (const { kind, proxy, player } of changes) {
      if (kind === 'twin') {
        registry.get(proxy)?.connection.send({ type: 'kick', uuid: player.uuid, ...TWIN });
        // This is logged, because the report of one proxy is enough to kick a player from another proxy.
        this.#twins.count({ player: player.name, from: proxy, by: sessions.of(player.uuid)?.proxy });
      } else listeners.emit({ kind, proxy, player });
    }
    onPlayers();
  }

  #handlePlayers(
    session: PluginSession,
    message: Extract<PluginMessage, { type: 'players' | 'joined' | 'switched' | 'left' }>,
  ): void {
    const { sessions, onPlayers } = this.#options;
    const { service } = session;
    switch (message.type) {
      case 'players':
        this.emitSessionChanges(sessions.listed(service, message.players, message.done));
        if (message.done) onPlayers();
        break;
      case 'joined':
        this.emitSessionChanges(sessions.joined(service, message.player));
        break;
      case 'switched':
        this.emitSessionChanges(sessions.switched(service, message.uuid, message.server));
        break;
      case 'left':
        this.emitSessionChanges(sessions.left(service, message.uuid));
        break;
    }
    if (sessions.isTooLong(service)) session.connection.cut(`it reported more than ${MAX_SESSIONS} players`);
  }

  #handleSlots(
    session: PluginSession,
    message: Extract<PluginMessage, { type: 'allowance' | 'more' | 'limit-reached' }>,
  ): void {
    const { keeper, listeners } = this.#options;
    const proxy = session.service;
    switch (message.type) {
      case 'more':
        keeper.take({ kind: 'more', proxy, id: message.id, wanted: message.wanted });
        break;
      case 'allowance': {
        const { seq, allowance, used } = message;
        keeper.take({ kind: 'answered', proxy, seq, allowance, used });
        break;
      }
      case 'limit-reached':
        listeners.emit({ kind: 'limit-reached', proxy, name: message.name, admitted: message.admitted });
        break;
    }
  }

  #handleUse(service: ServiceId, message: Extract<PluginMessage, { type: 'in-use' | 'count' }>): void {
    const { registry, listeners } = this.#options;
    if (message.type === 'in-use')
      registry.note(service, { inUse: message.inUse ? { why: message.why } : null, isUseReported: true });
    else registry.note(service, { count: { online: message.online, max: message.max } });
    listeners.emit({ kind: 'reported', service });
  }

  async #stopService(
    session: PluginSession,
    ask: Extract<PluginMessage, { type: 'stop-service' }>,
  ): Promise<void> {
    const answer = (ok: boolean, text: string): void =>
      session.connection.send({ type: 'answer', id: ask.id, ok, text: text.slice(0, MAX_ANSWER) });
    const stop = this.#options.stopService();
    if (stop === null) {
      answer(false, 'The master cannot stop services at the moment. Try again soon.');
      return;
    }
    if (!session.beginAsk()) {
      answer(false, 'The master is still processing an earlier request. Try again soon.');
      return;
    }
    try {
      answer(true, await stop(ask.service, { name: ask.by, proxy: session.service }));
    } catch (error) {
      answer(false, toOverworldError(error).message);
    } finally {
      session.endAsk();
    }
  }
}
