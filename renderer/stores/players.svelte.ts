import type { Player } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { groupByServer, mergePlayers } from '../view/player.ts';
import { Fetched } from './fetched.svelte.ts';
import type { Pace } from './refresher.ts';

type Answer = Result<'players.list'>;

/** Returns the delay before a request. Each response contains all players, so the delay grows with their number. */
function paceFor(players: number): Pace {
  return { quietMs: 100 + players / 20, capMs: 400 + players / 10 };
}

/** The players on the network. The list is up to date only while a screen shows it. */
class Players extends Fetched<Answer> {
  readonly list: readonly Player[] = $derived(this.value?.players ?? []);
  readonly #byServer = $derived(groupByServer(this.list));

  constructor() {
    super(
      () => call('players.list', {}),
      () => paceFor(this.value?.players.length ?? 0),
    );
  }

  /** Returns the players on a game server. The player who joined the network first comes first. */
  readonly on = (service: ServiceId): readonly Player[] => this.#byServer.get(service) ?? [];

  protected override merge(answer: Answer): Answer {
    return { ...answer, players: mergePlayers(this.list, answer.players) };
  }
}

export const players = new Players();
