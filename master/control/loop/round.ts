import { preciseMs } from '#shared/node/clock.ts';
import type { LoopContext } from './loop-context.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Action, Plan } from '#master/core/action.ts';
import { placeRequested } from '#master/core/place-requested.ts';
import { plan } from '#master/core/plan.ts';
import { MissingTemplates } from '../templates/missing-templates.ts';
import type { NodeActions } from '../nodes/node-actions.ts';
import { prepareAndStart, undoPlacement, type Start } from '../services/start.ts';
import type { ServiceTasks } from '../services/service-tasks.ts';
import type { Deletions } from '../templates/deletions.ts';
import type { Drains } from '../services/drains.ts';
import type { AddedPaths } from '../volumes/added-paths.ts';
import type { VolumeSaves } from '../volumes/volume-saves.ts';
import type { HandOvers } from '../services/hand-overs.ts';
import { applyPlan, storeWaitReasons } from './apply-plan.ts';
import { ObservationCache } from './observation-cache.ts';
import { observe } from './observe.ts';
import { pingSubjects } from '../services/ping-subjects.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { PublishedState } from './published-state.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { StartupGate } from './startup-gate.ts';
import { Ingress } from '#master/ingress/ingress.ts';

/** Work that takes longer than a round. A round starts such work without waiting for it. */
export interface LongWork {
  readonly tasks: ServiceTasks;
  readonly fleet: NodeActions;
  readonly deletions: Deletions;
  readonly drains: Drains;
  readonly handOvers: HandOvers;
  readonly addedPaths: AddedPaths;
  readonly volumeSaves: VolumeSaves;
}

/** The result of a round. */
export interface RoundResult {
  /** Whether another round must follow at once, because new requests need a node. */
  readonly again: boolean;
  /** Duration of the round (ms). */
  readonly ms: number;
}

/** The empty plan, for a round that makes no plan. */
const NO_PLAN: Plan = { actions: [], waiting: new Map(), unmet: new Map(), noOrder: null, kept: new Map() };

/**
 * Runs rounds of the control loop: observe → plan → act → publish. Stores the data that a round needs from earlier
 * rounds.
 */
export class Round {
  readonly published: PublishedState;
  readonly #context: LoopContext;
  readonly #work: LongWork;
  readonly #observationCache: ObservationCache;
  readonly #missingTemplates: MissingTemplates;
  readonly #gate: StartupGate;
  readonly #ingress: Ingress;

  constructor(context: LoopContext, work: LongWork) {
    this.#context = context;
    this.#work = work;
    this.published = new PublishedState(context);
    this.#observationCache = new ObservationCache(context);
    this.#missingTemplates = new MissingTemplates(context.config);
    this.#gate = new StartupGate(context);
    this.#ingress = new Ingress(context);
  }

  /** Makes the next round observe the nodes. Called when something has happened on a node, or is about to happen. */
  invalidateObservation(): void {
    this.#observationCache.invalidate();
  }

  /** Updates the records to the observed state of the nodes, and begins the work that adopted services need. */
  async #observe(): Promise<void> {
    const { tasks } = this.#work;
    if (tasks.size > 0) this.#observationCache.invalidate();
    // Includes actions that finish during the observation, because the observation may show the state from before.
    const busy = tasks.busy();
    const observed = await this.#observationCache.observe();
    const beside = {
      busy: new Set([...busy, ...tasks.busy()]),
      begin: (record: ServiceRecord, work: () => Promise<void>) => tasks.begin(record, work),
    };
    await observe(observed, beside, this.#context);
    this.#work.handOvers.carryOn(observed);
    this.#work.addedPaths.carryOn(observed.answered);
  }

  /**
   * Runs one round.
   *
   * @param mayPlan called after the observation. If it returns false, the round makes no plan, and only continues the
   * work that is in progress
   * @throws OverworldError if the records could not be stored, for example DISK_FULL. In this case, no service was
   * started, but stops were carried out
   */
  async run(mayPlan: () => boolean): Promise<RoundResult> {
    const context = this.#context;
    const began = preciseMs();
    await this.#observe();
    const hasSynced = this.#gate.hasSynced();
    if (hasSynced) this.#work.drains.carryOn();
    const snapshot = takeSnapshot(context);
    const planned = mayPlan() && hasSynced ? plan(snapshot) : NO_PLAN;
    const { actions } = planned;
    this.#missingTemplates.refresh();
    const starts = this.#apply(actions);
    starts.push(...this.#apply(placeRequested(actions, () => takeSnapshot(context))));
    storeWaitReasons(planned, context);
    // The records are saved before any action begins, so that a crash in between loses nothing.
    const unsaved = await this.#save();
    this.#begin(starts, unsaved === null);
    // Before the first plan, not all services are known, and the link would reject the plugin of a service that is
    // not known yet.
    if (hasSynced) this.#ingress.publish();
    this.#carryOnWithServices();
    this.published.update(planned, hasSynced);
    if (unsaved !== null) throw unsaved;
    await this.#work.fleet.carryOut(actions, snapshot);
    this.#work.deletions.carryOn();
    await this.#forgetHolds();
    const ms = preciseMs() - began;
    const numbers = { services: snapshot.services.length, actions: actions.length, ms };
    context.log[actions.length > 0 ? 'info' : 'trace'](numbers, 'round');
    return { again: actions.some(({ kind }) => kind === 'request'), ms };
  }

  #apply(actions: readonly Action[]): Start[] {
    return applyPlan(actions, (record) => this.#isSpared(record), this.#context);
  }

  /**
   * Reports whether to leave a service unchanged: an action is in progress for it, or its template's document is
   * missing, perhaps only for a moment.
   */
  #isSpared({ id, template }: ServiceRecord): boolean {
    return this.#work.tasks.has(id) || this.#isAway(template);
  }

  #isAway(template: TemplateId): boolean {
    return !this.#context.config.templates.has(template) && !this.#missingTemplates.isDeserted(template);
  }

  /**
   * Saves the records.
   *
   * @returns the error if that failed; null otherwise
   */
  async #save(): Promise<Error | null> {
    try {
      await this.#context.records.save();
      return null;
    } catch (error) {
      return toOverworldError(error);
    }
  }

  #begin(starts: readonly Start[], isSaved: boolean): void {
    for (const start of starts) {
      const { record } = start;
      if (isSaved) this.#work.tasks.begin(record, () => prepareAndStart(start, this.#context));
      else undoPlacement(record);
    }
  }

  #carryOnWithServices(): void {
    const { tasks } = this.#work;
    // Stops do not wait for the disk: they may free space on it, and repeating a stop after a crash does no harm.
    for (const record of this.#context.records.all) tasks.endIfStopping(record);
    this.#work.volumeSaves.carryOn();
    this.#context.pinger.watch(pingSubjects(this.#context));
    tasks.forgetEnds();
  }

  /** Removes overrides of templates and nodes that no longer exist. Does nothing until the nodes are known. */
  async #forgetHolds(): Promise<void> {
    const { overrides, registry } = this.#context;
    if (!registry.listed()) return;
    await overrides.tidy({
      template: (id) => !this.#missingTemplates.isForgotten(id),
      nodes: registry.nodes().map(({ id }) => id),
    });
  }
}
