import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isUp, type ServiceId } from '#shared/model/service.ts';
import { planMoves, type MoveTarget, type RecentMove } from '#master/core/player-moves.ts';
import { markStopping } from './stop.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { PluginLink } from '#master/link/link.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { isUnconfirmed, type ServiceRecord } from '#master/state/services/records.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';
import { knownPlayers } from '#master/ingress/presence.ts';

/**
 * Time to wait for players whom a proxy sent to the service just before the proxy learned that the service is closed
 * (ms).
 */
const CLOSED_WITHIN_MS = 2_000;

/**
 * Time after which the move is repeated for a player who is still on the service (ms), because the first attempt may
 * have failed.
 */
const SEND_AGAIN_AFTER_MS = 10_000;

/**
 * Drains services before they stop. A draining service accepts no new players, and its players are moved to fallbacks
 * with room. It stops once it is empty or its deadline has passed. The request is stored in the record, so that it
 * survives a restart of the master.
 */
export class Drains {
  readonly #context: Pick<Documents, 'config'> &
    Pick<Environment, 'now'> &
    Pick<ServiceStores, 'records'> &
    Pick<IngressAccess, 'link' | 'proxies'> &
    Pick<Feed, 'events'>;
  readonly #poke: () => void;
  readonly #clock: () => number;
  /** For each player, the move of the last {@link SEND_AGAIN_AFTER_MS}. */
  readonly #recent = new Map<string, RecentMove>();
  /**
   * Number of moves that were requested for each player on a draining service. A fallback may refuse a player, for
   * example because of its `joinPermission`.
   */
  readonly #attempts = new Map<string, number>();

  /**
   * @param poke requests a round of the loop
   * @param clock returns the monotonic time (ms)
   */
  constructor(
    context: Pick<Documents, 'config'> &
      Pick<Environment, 'now'> &
      Pick<ServiceStores, 'records'> &
      Pick<IngressAccess, 'link' | 'proxies'> &
      Pick<Feed, 'events'>,
    poke: () => void,
    clock: () => number = monotonicMs,
  ) {
    this.#context = context;
    this.#poke = poke;
    this.#clock = clock;
  }

  /**
   * Begins a drain, or changes its deadline. A service that is already stopping is not drained. If it is stopping for a
   * restart, the restart is cancelled, as by a stop (docs/scaling.md#restart-one-service).
   *
   * @param withinMs time after which the service stops even with players on it (ms); null for no deadline
   * @throws OverworldError SERVICE_NOT_FOUND; DISK_FULL, DATA_FOLDER_UNSAFE or MASTER_ENDING. Nothing is changed then,
   *   except that a restart stays cancelled
   */
  async drain(id: ServiceId, withinMs: number | null, actor: string): Promise<void> {
    const { now, events } = this.#context;
    const record = this.#record(id);
    if (record.stopping !== null) return this.#cancelRestart(record, actor);
    const since = record.draining?.since ?? now();
    const until = withinMs === null ? null : now() + withinMs;
    const isNew = record.draining === null;
    await this.#set(record, { since, cause: `requested by ${actor}`, until });
    if (!isNew) return;
    const message = `${id} is draining: its players are moved, then it stops`;
    emitServiceEvent(events, record, {
      kind: 'service.draining',
      message,
      cause: `requested by ${actor}`,
      actor,
    });
  }

  /** Ends a service for good that is stopping for a restart. Does nothing for other services that are stopping. */
  async #cancelRestart(record: ServiceRecord, actor: string): Promise<void> {
    if (!record.restarting) return;
    markStopping(record, { cause: `requested by ${actor}`, actor }, this.#context);
    try {
      await this.#context.records.save();
    } finally {
      this.#poke();
    }
  }

  /**
   * Cancels a drain.
   *
   * @throws OverworldError SERVICE_NOT_FOUND, DISK_FULL, DATA_FOLDER_UNSAFE, MASTER_ENDING; nothing is changed then
   */
  async cancel(id: ServiceId, actor: string): Promise<void> {
    const record = this.#record(id);
    if (record.draining === null) return;
    await this.#set(record, null);
    const message = `${id} stays: it is no longer being drained`;
    emitServiceEvent(this.#context.events, record, {
      kind: 'service.staying',
      message,
      actor,
      cause: `requested by ${actor}`,
    });
  }

  /**
   * Moves players, and stops services that are empty or past their deadline. Call it in every round: rounds run each
   * second even if no player joins, moves or leaves, and so move the players who had to wait for a later second.
   */
  carryOn(): void {
    const now = this.#clock();
    for (const [uuid, { at }] of this.#recent) if (now - at >= SEND_AGAIN_AFTER_MS) this.#recent.delete(uuid);
    const draining = this.#context.records.all.filter(
      (one) => one.draining !== null && one.stopping === null,
    );
    if (draining.length === 0) {
      this.#attempts.clear();
      return;
    }
    const arePlayersKnown = knownPlayers(this.#context) !== null;
    for (const record of draining) {
      const why = this.#whyStops(record, arePlayersKnown);
      if (why !== null) markStopping(record, { cause: why }, this.#context);
    }
    this.#movePlayers(draining.filter((one) => one.stopping === null));
  }

  #whyStops(record: ServiceRecord, arePlayersKnown: boolean): string | null {
    const { draining, state, players } = record;
    if (draining === null) return null;
    const now = this.#context.now();
    if (draining.until !== null && now >= draining.until)
      return `its drain (${draining.cause}) has reached its deadline with ${players.online} players on it`;
    // If a server hides its number of players, only the plugins of proxies know its players. After a restart of the
    // master, these plugins need some seconds to connect again.
    if (isUnconfirmed(record) || !arePlayersKnown || state === 'IN_USE') return null;
    // The drain began in the future if the clock was set back.
    const drainedMs = Math.abs(now - draining.since);
    return drainedMs < CLOSED_WITHIN_MS ? null : `it is empty after its drain (${draining.cause})`;
  }

  #movePlayers(draining: readonly ServiceRecord[]): void {
    const games = new Set(draining.filter((one) => one.placed?.values.isProxy === false).map(({ id }) => id));
    if (games.size === 0) return;
    const players = this.#fewestAttemptsFirst(games);
    const now = this.#clock();
    const situation = { players, draining: games, targets: this.#targets(), recent: this.#recent, now };
    for (const { uuid, from, to } of planMoves(situation)) {
      this.#recent.set(uuid, { at: now, from, to: this.#send(uuid, to) ? to : null });
      this.#attempts.set(uuid, (this.#attempts.get(uuid) ?? 0) + 1);
    }
  }

  /**
   * Returns the players of the network. Those for whom the fewest moves were requested come first, so that players whom
   * fallbacks refuse do not take the free slots of others again and again.
   */
  #fewestAttemptsFirst(draining: ReadonlySet<ServiceId>): PluginLink['players'] {
    const { players } = this.#context.link;
    if (this.#attempts.size === 0) return players;
    const waiting = new Set(
      players.flatMap(({ uuid, server }) => (server !== null && draining.has(server) ? [uuid] : [])),
    );
    for (const uuid of this.#attempts.keys()) if (!waiting.has(uuid)) this.#attempts.delete(uuid);
    const attempts = (uuid: string): number => this.#attempts.get(uuid) ?? 0;
    return players.toSorted((a, b) => attempts(a.uuid) - attempts(b.uuid));
  }

  /** Requests a move. Returns false if the proxy is not linked at the moment, or if the fallback has just closed. */
  #send(uuid: string, to: ServiceId): boolean {
    try {
      this.#context.link.send(uuid, to);
      return true;
    } catch (error) {
      if (!(error instanceof OverworldError)) throw error;
      return false;
    }
  }

  #targets(): MoveTarget[] {
    const { records, config, link } = this.#context;
    return records.all.flatMap((record) => {
      const { id, template, players, placed } = record;
      const values = config.templates.get(template)?.state.config;
      if (values?.isFallback !== true || placed?.values.isProxy !== false || !isUp(record)) return [];
      // The plugins may not know yet that the service stops or drains.
      if (record.stopping !== null || record.draining !== null || !link.accepts(id)) return [];
      const max = players.max < 0 ? placed.values.maxPlayers : players.max;
      // The link knows arrivals before the record does. A player who has arrived is no longer under way, and must
      // count as online.
      const online = Math.max(players.online, link.playersOn(id));
      return [{ id, online, max, restricted: values.joinPermission !== '' }];
    });
  }

  async #set(record: ServiceRecord, draining: ServiceRecord['draining']): Promise<void> {
    const before = record.draining;
    record.draining = draining;
    try {
      await this.#context.records.save();
    } catch (error) {
      if (record.draining === draining) record.draining = before;
      throw error;
    }
    this.#poke();
  }

  #record(id: ServiceId): ServiceRecord {
    const record = this.#context.records.get(id);
    if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    return record;
  }
}
