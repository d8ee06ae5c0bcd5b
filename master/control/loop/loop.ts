import type { LoopContext } from './loop-context.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { Deadline, preciseMs } from '#shared/node/clock.ts';
import { NodeActions } from '../nodes/node-actions.ts';
import { markStopping } from '../services/stop.ts';
import { ServiceTasks } from '../services/service-tasks.ts';
import { Deletions } from '../templates/deletions.ts';
import { Drains } from '../services/drains.ts';
import { AddedPaths } from '../volumes/added-paths.ts';
import { VolumeSaves } from '../volumes/volume-saves.ts';
import { HandOvers } from '../services/hand-overs.ts';
import { AdaptiveThrottle } from './adaptive-throttle.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { Round, type LongWork } from './round.ts';
import type { PublishedState } from './published-state.ts';
import { emitMasterTrouble } from '#master/state/feed/emit-event.ts';
import { SingleFlight } from './single-flight.ts';

const TROUBLE = 'The master cannot start services at the moment and retries every second';

/**
 * Interval between saves of the states of services and nodes and of the times of their last changes (ms). A killed
 * master loses at most the changes of one interval.
 */
const TIMES_SAVED_EVERY_MS = 15_000;

/** Minimum time between two reports of failing rounds (ms). */
const TROUBLE_INTERVAL_MS = 60_000;

/**
 * Decides when rounds run: once a second, and immediately when something happens, but only one round at a time. Slow
 * work (starts, stops, reading the last log lines of a failed service) runs in parallel with the rounds. `round.ts`
 * describes what a round does.
 */
export class Loop {
  readonly deletions: Deletions;
  readonly drains: Drains;
  readonly volumeSaves: VolumeSaves;
  readonly published: PublishedState;
  readonly #context: Pick<Documents, 'overrides'> &
    Environment &
    Pick<NodeAccess, 'registry' | 'nodeTimes'> &
    Pick<ServiceStores, 'records' | 'pinger' | 'volumes'> &
    Pick<Feed, 'events'>;
  readonly #work: LongWork;
  readonly #round: Round;
  readonly #throttle: AdaptiveThrottle;
  #mode: 'running' | 'emptying' | 'closed' = 'running';
  readonly #singleFlight: SingleFlight;
  #timer: NodeJS.Timeout | null = null;
  /** When the next save of the states and times of services and nodes is due. */
  readonly #timesDue = new Deadline();
  /** When a failed round was last reported, on the monotonic clock. */
  #troubleReportedAt = -Infinity;

  constructor(context: LoopContext) {
    const poke = (): void => this.poke();
    this.#context = context;
    this.deletions = new Deletions(context, poke);
    this.drains = new Drains(context, poke);
    this.volumeSaves = new VolumeSaves(context);
    this.#work = {
      tasks: new ServiceTasks(context, poke),
      fleet: new NodeActions(context, poke),
      deletions: this.deletions,
      drains: this.drains,
      handOvers: new HandOvers(context),
      addedPaths: new AddedPaths(context),
      volumeSaves: this.volumeSaves,
    };
    this.#round = new Round(context, this.#work);
    this.published = this.#round.published;
    this.#singleFlight = new SingleFlight(
      () => this.#goRound(),
      (error) => this.#roundFailed(error),
    );
    this.#throttle = new AdaptiveThrottle(() => this.#singleFlight.call());
    context.pinger.onResult((event) => (event === 'started' ? this.poke() : this.hurry()));
  }

  /** Adopts running services, then runs rounds until {@link Loop.close}. */
  async start(): Promise<void> {
    await this.#context.registry.refresh();
    await this.#singleFlight.next();
    this.#schedule();
  }

  /**
   * Requests a round that observes the nodes. Called when something has happened. Several calls before that round
   * begins result in one round.
   */
  poke(): void {
    this.#round.invalidateObservation();
    this.#singleFlight.call();
  }

  /**
   * Requests a round after a report from a plugin. This round need not observe the nodes. The longer rounds take, the
   * longer the pause before such a round.
   */
  hurry(): void {
    if (!this.#isClosed()) this.#throttle.call();
  }

  /** Resolves when a round that began after this call has finished. */
  async settled(): Promise<void> {
    this.#round.invalidateObservation();
    await this.#singleFlight.next();
  }

  /** Kills a service without giving it time to save, even if its stop is already in progress. */
  kill(record: ServiceRecord): void {
    this.#work.tasks.kill(record);
  }

  /**
   * Stops all services, including services that are requested during the call, and starts no more services. Resolves
   * when they have exited, or when the loop is closed. Paused services stay requested, and are still paused after the
   * next start of the master. A service whose data cannot be saved has exited, too: its data stays in its folder, and
   * the next master saves it.
   */
  async empty(cause: string): Promise<void> {
    if (this.#mode === 'running') this.#mode = 'emptying';
    const { records, limits, log } = this.#context;
    const { tasks } = this.#work;
    const remaining = () => records.all.filter(({ held, node }) => !held || node !== null);
    while (this.#mode === 'emptying' && remaining().length > 0) {
      for (const record of remaining()) markStopping(record, { cause }, this.#context);
      await this.settled();
      const services = remaining().map(({ id }) => id);
      if (services.length > 0 && remaining().every((record) => tasks.isUnsaved(record))) {
        log.warn({ services }, 'the data of services could not be saved; the next master saves it');
        return;
      }
      // A failed round stops no services. Without this pause, the loop would repeat failed rounds without a break.
      const pause = new Promise<void>((resolve) => setTimeout(resolve, limits.roundMs));
      await Promise.race([pause, tasks.one()]);
    }
  }

  /**
   * Closes the loop. All services keep running, including those that are being stopped. Waits for starts in progress,
   * so that no start is left half-done. Nothing is written afterwards, because the next master may already read the
   * files.
   */
  async close(): Promise<void> {
    const { records, overrides, pinger, volumes } = this.#context;
    const { tasks, fleet, deletions, handOvers, addedPaths } = this.#work;
    this.#mode = 'closed';
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#throttle.close();
    pinger.close();
    await this.#singleFlight.close();
    for (const { id, stopping } of records.all) if (stopping === null) await tasks.of(id);
    await fleet.settled();
    await deletions.settled();
    await handOvers.settled();
    await addedPaths.settled();
    // A volume save in progress may take long, so it is not waited for: its files stay on their node, and the next
    // master saves them.
    await volumes.close();
    // Saves changes that were requested during the last round.
    await this.#saveTimes();
    await records.close();
    await overrides.close();
  }

  #schedule(): void {
    if (this.#isClosed()) return;
    this.#timer = setTimeout(() => {
      this.#refreshAndRound()
        .catch((error: unknown) =>
          this.#context.log.error({ err: error }, 'the provider could not be queried'),
        )
        .finally(() => this.#schedule());
    }, this.#context.limits.roundMs);
  }

  async #refreshAndRound(): Promise<void> {
    await this.#context.registry.refresh();
    await this.#singleFlight.next();
    if (!this.#timesDue.isOver || this.#isClosed()) return;
    this.#timesDue.set(TIMES_SAVED_EVERY_MS);
    await this.#saveTimes();
  }

  /**
   * Saves the current states of services and nodes, and the times at which they entered these states. The next master
   * can work without them, so a failed save is only logged.
   */
  async #saveTimes(): Promise<void> {
    const { records, nodeTimes } = this.#context;
    const notSaved = (error: unknown): void => this.#notSaved(error);
    await Promise.all([records.saveTimes().catch(notSaved), nodeTimes.save().catch(notSaved)]);
  }

  async #goRound(): Promise<boolean> {
    const { again, ms } = await this.#round.run(() => this.#mode === 'running');
    this.#throttle.recordDuration(ms);
    return again;
  }

  #notSaved(error: unknown): void {
    this.#context.log.error(
      { err: toOverworldError(error) },
      'the records or times of services and nodes could not be stored',
    );
  }

  #isClosed(): boolean {
    return this.#mode === 'closed';
  }

  /** Logs a failed round and reports it in the activity log, at most once a minute. The next round tries again. */
  #roundFailed(error: unknown): void {
    const { log, events } = this.#context;
    log.error({ err: error }, 'a round failed; the next round retries');
    const now = preciseMs();
    if (now - this.#troubleReportedAt < TROUBLE_INTERVAL_MS) return;
    this.#troubleReportedAt = now;
    emitMasterTrouble(events, toOverworldError(error).message, TROUBLE);
  }
}
