import type { LoopContext } from './loop-context.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { Deadline, preciseMs } from '#shared/node/clock.ts';
import { Fleet } from '../nodes/fleet.ts';
import { markStopping } from '../services/stop.ts';
import { ServiceTasks } from '../services/service-tasks.ts';
import { Deletions } from '../templates/deletions.ts';
import { Drains } from '../services/drains.ts';
import { AdaptiveThrottle } from './adaptive-throttle.ts';
import type { Documents } from '../context/documents.ts';
import type { Environment } from '../context/environment.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { Feed } from '../context/feed.ts';
import type { ServiceRecord } from '../services/records.ts';
import { Round, type LongWork } from './round.ts';
import type { PublishedState } from './published-state.ts';
import { emitMasterTrouble } from '../feed/emit-event.ts';
import { SingleFlight } from './single-flight.ts';

const TROUBLE = 'The master cannot start services at the moment; it tries again every second';

/** How much of the states and times of services and nodes a killed master may lose, ms. */
const TIMES_SAVED_EVERY_MS = 15_000;

/** A round that fails again and again is told once in this time, ms. */
const TROUBLE_TOLD_EVERY_MS = 60_000;

/**
 * The loop: when it goes round. Once a second and at once when something happened, one round at a time; what takes long
 * (starting, stopping, hearing the last words of what failed) runs beside the rounds. What one does: `round.ts`.
 */
export class Loop {
  readonly deletions: Deletions;
  readonly drains: Drains;
  readonly published: PublishedState;
  readonly #parts: Pick<Documents, 'overrides'> &
    Environment &
    Pick<NodeAccess, 'provider' | 'nodeTimes'> &
    Pick<ServiceState, 'records' | 'pinger'> &
    Pick<Feed, 'events'>;
  readonly #work: LongWork;
  readonly #round: Round;
  readonly #throttle: AdaptiveThrottle;
  #mode: 'running' | 'emptying' | 'closed' = 'running';
  readonly #turns: SingleFlight;
  #timer: NodeJS.Timeout | null = null;
  /** When states and times of services are to be saved. */
  readonly #timesDue = new Deadline();
  /** When a failed round was last told to people, on a clock that nobody sets. */
  #troubleToldAt = -Infinity;

  constructor(parts: LoopContext) {
    const poke = (): void => this.poke();
    this.#parts = parts;
    this.deletions = new Deletions(parts, poke);
    this.drains = new Drains(parts, poke);
    this.#work = {
      tasks: new ServiceTasks(parts, poke),
      fleet: new Fleet(parts, poke),
      deletions: this.deletions,
      drains: this.drains,
    };
    this.#round = new Round(parts, this.#work);
    this.published = this.#round.published;
    this.#turns = new SingleFlight(
      () => this.#goRound(),
      (error) => this.#roundFailed(error),
    );
    this.#throttle = new AdaptiveThrottle(() => this.#turns.call());
    parts.pinger.onNews((news) => (news === 'started' ? this.poke() : this.hurry()));
  }

  /** Takes over what runs already, then goes round until {@link Loop.close}. */
  async start(): Promise<void> {
    await this.#parts.provider.refresh();
    await this.#turns.next();
    this.#schedule();
  }

  /** Something happened: go round soon. Many calls at once make one round. */
  poke(): void {
    this.#round.expectNews();
    this.#turns.call();
  }

  /** Plugins said something that no node has to be asked about: go round soon, as often as that costs little. */
  hurry(): void {
    if (!this.#isClosed()) this.#throttle.call();
  }

  /** Resolves when a round that began after this call has ended. */
  async settled(): Promise<void> {
    this.#round.expectNews();
    await this.#turns.next();
  }

  /** From now on this service is ended without time to save, also if its stop is already under way. */
  kill(record: ServiceRecord): void {
    this.#work.tasks.kill(record);
  }

  /**
   * Stops all services, also those asked for meanwhile, and starts none; resolves when they are gone, or the loop was
   * closed. Held ones stay requested: they are still held at the next start.
   */
  async empty(cause: string): Promise<void> {
    if (this.#mode === 'running') this.#mode = 'emptying';
    const { records, limits } = this.#parts;
    for (;;) {
      const left = records.all.filter(({ held, node }) => !held || node !== null);
      if (this.#mode !== 'emptying' || left.length === 0) return;
      for (const record of left) markStopping(record, { cause }, this.#parts);
      await this.settled();
      // A round that fails begins nothing: the pause keeps that from becoming a busy loop.
      const pause = new Promise<void>((resolve) => setTimeout(resolve, limits.roundMs));
      await Promise.race([pause, this.#work.tasks.one()]);
    }
  }

  /**
   * Ends the loop; services live on, also those that are being stopped. Waits for starts under way, so that nothing is
   * half-made; after it nothing is written any more, as the next master may be reading.
   */
  async close(): Promise<void> {
    const { records, overrides, pinger } = this.#parts;
    const { tasks, fleet, deletions } = this.#work;
    this.#mode = 'closed';
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#throttle.close();
    pinger.close();
    await this.#turns.close();
    for (const { id, stopping } of records.all) if (stopping === null) await tasks.of(id);
    await fleet.settled();
    await deletions.settled();
    // What was asked for while the last round was under way.
    await this.#saveTimes();
    await records.close();
    await overrides.close();
  }

  #schedule(): void {
    if (this.#isClosed()) return;
    this.#timer = setTimeout(() => {
      this.#refreshAndRound()
        .catch((error: unknown) => this.#parts.log.error({ err: error }, 'the provider could not be asked'))
        .finally(() => this.#schedule());
    }, this.#parts.limits.roundMs);
  }

  async #refreshAndRound(): Promise<void> {
    await this.#parts.provider.refresh();
    await this.#turns.next();
    if (!this.#timesDue.isOver || this.#isClosed()) return;
    this.#timesDue.set(TIMES_SAVED_EVERY_MS);
    await this.#saveTimes();
  }

  /** Since when services and nodes are in their states: for people, so it may get lost. */
  async #saveTimes(): Promise<void> {
    const { records, nodeTimes } = this.#parts;
    const notSaved = (error: unknown): void => this.#notSaved(error);
    await Promise.all([records.saveTimes().catch(notSaved), nodeTimes.save().catch(notSaved)]);
  }

  async #goRound(): Promise<boolean> {
    const { again, ms } = await this.#round.run(() => this.#mode === 'running');
    this.#throttle.recordDuration(ms);
    return again;
  }

  #notSaved(error: unknown): void {
    this.#parts.log.error(
      { err: toOverworldError(error) },
      'the records or times of services and nodes could not be stored',
    );
  }

  #isClosed(): boolean {
    return this.#mode === 'closed';
  }

  /** A failed round is no end: the next one tries again. People see it in the activity log, as long as it lasts. */
  #roundFailed(error: unknown): void {
    const { log, events } = this.#parts;
    log.error({ err: error }, 'a round failed; the next one tries again');
    const now = preciseMs();
    if (now - this.#troubleToldAt < TROUBLE_TOLD_EVERY_MS) return;
    this.#troubleToldAt = now;
    emitMasterTrouble(events, toOverworldError(error).message, TROUBLE);
  }
}
