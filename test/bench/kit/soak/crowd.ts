import { RawPlayer } from '#test/support/players/raw-player.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of players who log in at the same moment. */
const AT_ONCE = 10;

/** Maximum time until all players are on game servers (ms). Some services may have to start first. */
const FULL_WITHIN_MS = 180_000;

/** Players on a network, who leave and are replaced by other players. */
export class Crowd {
  readonly #port: number;
  #players: RawPlayer[] = [];
  /** Number of players who have joined so far. */
  joined = 0;
  /** Number of players who were disconnected although they did not leave. */
  dropped = 0;

  /** @param port port of the proxy through which all players join */
  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Lets players join until this number of players is online. If a player is refused, another player tries to join.
   */
  async fillUp(count: number): Promise<void> {
    await waitFor(
      async () => {
        this.#forget();
        const missing = Math.min(AT_ONCE, count - this.#players.length);
        const results = await Promise.allSettled(Array.from({ length: missing }, () => this.#join()));
        const refused = results.find(({ status }) => status === 'rejected');
        if (refused?.status === 'rejected') throw refused.reason;
        return this.#players.length >= count;
      },
      { timeoutMs: FULL_WITHIN_MS, what: `${count} players to be online` },
    );
  }

  /** Lets this number of players leave: those who have been online for the longest time. */
  leave(count: number): void {
    this.#forget();
    for (const player of this.#players.splice(0, count)) player.leave();
  }

  async #join(): Promise<void> {
    this.joined += 1;
    this.#players.push(await RawPlayer.join(this.#port, `Player${this.joined}`));
  }

  #forget(): void {
    const online = this.#players.filter(({ isOnline }) => isOnline);
    this.dropped += this.#players.length - online.length;
    this.#players = online;
  }
}
