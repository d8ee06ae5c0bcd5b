import type { Logger } from 'pino';
import type { PluginMessage } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { AllowanceKeeper } from '../limit/allowance-keeper.ts';
import type { GuestBook } from '../registry/plugin-registry.ts';
import type { Guest } from './plugin-session.ts';
import type { StopService } from '../link.ts';
import type { News } from '../news.ts';
import { RareWarning } from '../server/rare-warning.ts';
import { MAX_SESSIONS, type SessionBook, type SessionChange } from './session-book.ts';

/** Longest answer to a question in game, letters. */
const MAX_ANSWER = 1_000;

/** What the other proxy tells a player who has come in through a second one. */
const TWIN_MESSAGE = 'You have joined this network again from another place.';

export interface DeskParts {
  readonly log: Logger;
  readonly book: SessionBook;
  readonly guests: GuestBook;
  readonly keeper: AllowanceKeeper;
  readonly news: News;
  /** Who is where has changed. */
  readonly onPlayers: () => void;
  readonly stopService: () => StopService | null;
}

/** Words that only a proxy has any business to say. */
const PROXY_WORDS: ReadonlySet<PluginMessage['type']> = new Set([
  ...(['players', 'joined', 'switched', 'left'] as const),
  ...(['allowance', 'more', 'limit-reached', 'stop-service'] as const),
]);

/** Takes what linked plugins say to those it concerns. */
export class Desk {
  readonly #parts: DeskParts;
  readonly #twins: RareWarning;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#twins = new RareWarning(
      parts.log,
      'players who are on two proxies were sent away from the older one',
    );
  }

  hear(guest: Guest, message: PluginMessage): void {
    if (!guest.isProxy && PROXY_WORDS.has(message.type)) {
      guest.connection.cut(`it is no proxy, and said '${message.type}'`);
      return;
    }
    switch (message.type) {
      case 'hello':
        guest.connection.cut('it greeted twice');
        break;
      case 'players':
      case 'joined':
      case 'switched':
      case 'left':
        this.#hearOfPlayers(guest, message);
        break;
      case 'allowance':
      case 'more':
      case 'limit-reached':
        this.#hearOfSlots(guest, message);
        break;
      case 'in-use':
      case 'count':
        this.#hearOfUse(guest.service, message);
        break;
      case 'stop-service':
        void this.#stopService(guest, message);
        break;
      case 'pong':
        break;
    }
  }

  /** Tells of what is different in the book of sessions, and sends away who is in it twice. */
  tellChanges(changes: readonly SessionChange[]): void {
    if (changes.length === 0) return;
    const { book, guests, news, onPlayers } = this.#parts;
    for (const { kind, proxy, player } of changes) {
      if (kind === 'twin') {
        guests.get(proxy)?.connection.send({ type: 'kick', uuid: player.uuid, message: TWIN_MESSAGE });
        // That somebody has come in again is its proxy's word alone, which sends a player away elsewhere.
        this.#twins.count({ player: player.name, from: proxy, by: book.of(player.uuid)?.proxy });
      } else news.tell({ kind, proxy, player });
    }
    onPlayers();
  }

  #hearOfPlayers(
    guest: Guest,
    message: Extract<PluginMessage, { type: 'players' | 'joined' | 'switched' | 'left' }>,
  ): void {
    const { book, onPlayers } = this.#parts;
    const { service } = guest;
    switch (message.type) {
      case 'players':
        this.tellChanges(book.listed(service, message.players, message.done));
        if (message.done) onPlayers();
        break;
      case 'joined':
        this.tellChanges(book.joined(service, message.player));
        break;
      case 'switched':
        this.tellChanges(book.switched(service, message.uuid, message.server));
        break;
      case 'left':
        this.tellChanges(book.left(service, message.uuid));
        break;
    }
    if (book.isTooLong(service)) guest.connection.cut(`it told of more than ${MAX_SESSIONS} players`);
  }

  #hearOfSlots(
    guest: Guest,
    message: Extract<PluginMessage, { type: 'allowance' | 'more' | 'limit-reached' }>,
  ): void {
    const { keeper, news } = this.#parts;
    const proxy = guest.service;
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
        news.tell({ kind: 'limit-reached', proxy, name: message.name, admitted: message.admitted });
        break;
    }
  }

  #hearOfUse(service: ServiceId, message: Extract<PluginMessage, { type: 'in-use' | 'count' }>): void {
    const { guests, news } = this.#parts;
    if (message.type === 'in-use')
      guests.note(service, { inUse: message.inUse ? { why: message.why } : null });
    else guests.note(service, { count: { online: message.online, max: message.max } });
    news.tell({ kind: 'heard', service });
  }

  async #stopService(guest: Guest, ask: Extract<PluginMessage, { type: 'stop-service' }>): Promise<void> {
    const answer = (ok: boolean, text: string): void =>
      guest.connection.send({ type: 'answer', id: ask.id, ok, text: text.slice(0, MAX_ANSWER) });
    const stop = this.#parts.stopService();
    if (stop === null) {
      answer(false, 'The master cannot stop services at the moment. Try again soon.');
      return;
    }
    if (!guest.beginAsk()) {
      answer(false, 'The master is still busy with what was asked before. Try again soon.');
      return;
    }
    try {
      answer(true, await stop(ask.service, { name: ask.by, proxy: guest.service }));
    } catch (error) {
      answer(false, toOverworldError(error).message);
    } finally {
      guest.endAsk();
    }
  }
}
