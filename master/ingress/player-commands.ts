import { OverworldError } from '#shared/errors/overworld-error.ts';
import { DEFAULT_KICK_MESSAGE, type Player } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';

interface Known {
  readonly link: Pick<IngressAccess['link'], 'players' | 'kick' | 'send'>;
  readonly events: Pick<Feed['events'], 'add'>;
}

/**
 * Commands of people that concern players. Each command is sent to the player's proxy immediately and written to
 * the activity log.
 */
export class PlayerCommands {
  readonly #known: Known;

  constructor(known: Known) {
    this.#known = known;
  }

  /**
   * Kicks a player from the network. If the player has already left the proxy, the kick has no effect; the proxy's
   * plugin reports that the player has left.
   *
   * @param message shown to the player; {@link DEFAULT_KICK_MESSAGE} if it is blank
   * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE
   */
  kick(uuid: string, message: string, actor: string): void {
    const player = this.#player(uuid);
    const text = message.trim();
    this.#known.link.kick(uuid, text === '' ? DEFAULT_KICK_MESSAGE : text);
    this.#emit(player, actor, {
      kind: 'player.kicked',
      message: `${player.name} was kicked`,
      cause: text === '' ? `requested by ${actor}` : text,
    });
  }

  /**
   * Sends a player to a service.
   *
   * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE, SERVICE_NOT_JOINABLE
   */
  send(uuid: string, service: ServiceId, actor: string): void {
    const player = this.#player(uuid);
    this.#known.link.send(uuid, service);
    this.#emit(player, actor, {
      kind: 'player.sent',
      message: `${player.name} was sent to ${service}`,
      cause: `requested by ${actor}`,
    });
  }

  #player(uuid: string): Player {
    const player = this.#known.link.players.find((one) => one.uuid === uuid);
    if (player === undefined) throw new OverworldError('PLAYER_NOT_FOUND', { player: uuid });
    return player;
  }

  #emit(
    { name }: Player,
    actor: string,
    happening: {
      readonly kind: 'player.kicked' | 'player.sent';
      readonly message: string;
      readonly cause: string;
    },
  ): void {
    this.#known.events.add({ ...happening, subject: { type: 'player', id: name }, template: null, actor });
  }
}
