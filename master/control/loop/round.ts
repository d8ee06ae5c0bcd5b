import { preciseMs } from '#shared/node/clock.ts';
import type { LoopContext } from './loop-context.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Plan } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import { Absences } from '../templates/absences.ts';
import type { Fleet } from '../nodes/fleet.ts';
import { prepareAndStart, takeBack } from '../services/start.ts';
import type { ServiceTasks } from '../services/service-tasks.ts';
import type { Deletions } from '../templates/deletions.ts';
import type { Drains } from '../services/drains.ts';
import { applyPlan, showWaits, type Start } from './apply-plan.ts';
import { ObservationCache } from './observation-cache.ts';
import { observe } from './observe.ts';
import { pingSubjects } from '../pings/ping-subjects.ts';
import type { ServiceRecord } from '../services/records.ts';
import { PublishedState } from './published-state.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { StartupGate } from './startup-gate.ts';
import { Ingress } from '#master/ingress/ingress.ts';

/** What takes longer than a round. Rounds begin it, and do not wait for it. */
export interface LongWork {
  readonly tasks: ServiceTasks;
  readonly fleet: Fleet;
  readonly deletions: Deletions;
  readonly drains: Drains;
}

/** What came of a round. */
export interface RoundResult {
  /** New requests want a node: another round is to follow at once. */
  readonly again: boolean;
  /** How long it took, ms. */
  readonly ms: number;
}

/** Of a round that decides nothing. */
const NO_PLAN: Plan = { actions: [], waiting: new Map(), unmet: new Map(), noOrder: null, kept: new Map() };

/** What a round does: observe → plan → act → show. Keeps what one round has to know of those before it. */
export class Round {
  readonly published: PublishedState;
  readonly #parts: LoopContext;
  readonly #work: LongWork;
  readonly #observationCache: ObservationCache;
  readonly #absences: Absences;
  readonly #gate: StartupGate;
  readonly #wayIn: Ingress;

  constructor(parts: LoopContext, work: LongWork) {
    this.#parts = parts;
    this.#work = work;
    this.published = new PublishedState(parts);
    this.#observationCache = new ObservationCache(parts);
    this.#absences = new Absences(parts.config);
    this.#gate = new StartupGate(parts);
    this.#wayIn = new Ingress(parts);
  }

  /** Something happened on a node, or is about to: the next round looks at them. */
  expectNews(): void {
    this.#observationCache.expectNews();
  }

  /** Brings the records up to what is on the nodes. */
  async #observe(): Promise<void> {
    const { tasks } = this.#work;
    if (tasks.size > 0) this.#observationCache.expectNews();
    // Also those that end while the nodes are looked at: what was seen may be from before.
    const busy = tasks.busy();
    const observed = await this.#observationCache.look();
    const beside = {
      busy: new Set([...busy, ...tasks.busy()]),
      begin: (record: ServiceRecord, work: () => Promise<void>) => tasks.begin(record, work),
    };
    await observe(observed, beside, this.#parts);
  }

  /**
   * Goes round once.
   *
   * @param mayPlan asked once it is known what is; without a plan, what is meant already is carried on with
   * @throws OverworldError what is meant could not be stored (DISK_FULL and the like): then nothing was started, and
   *   only ends went on
   */
  async run(mayPlan: () => boolean): Promise<RoundResult> {
    const parts = this.#parts;
    const began = preciseMs();
    await this.#observe();
    const hasSynced = this.#gate.hasSynced();
    if (hasSynced) this.#work.drains.carryOn();
    const snapshot = takeSnapshot(parts);
    const planned = mayPlan() && hasSynced ? plan(snapshot) : NO_PLAN;
    const { actions } = planned;
    this.#absences.refresh();
    const starts = applyPlan(actions, (record) => this.#isSpared(record), parts);
    showWaits(planned, parts);
    // What is meant is on disk before it is begun: a crash in between is found again.
    const unsaved = await this.#save();
    this.#begin(starts, unsaved === null);
    // Before that it is not known which services there are: a plugin in one that is unknown yet must not be refused.
    if (hasSynced) this.#wayIn.tell();
    this.#carryOnWithServices();
    this.published.update(planned, hasSynced);
    if (unsaved !== null) throw unsaved;
    await this.#work.fleet.carryOut(actions, snapshot);
    this.#work.deletions.carryOn();
    await this.#forgetHolds();
    const ms = preciseMs() - began;
    const numbers = { services: snapshot.services.length, actions: actions.length, ms };
    parts.log[actions.length > 0 ? 'info' : 'trace'](numbers, 'round');
    return { again: actions.some(({ kind }) => kind === 'request'), ms };
  }

  /** An action works on it at this moment, or its document is away, and may be so only for a moment. */
  #isSpared({ id, template }: ServiceRecord): boolean {
    return this.#work.tasks.has(id) || this.#isAway(template);
  }

  #isAway(template: TemplateId): boolean {
    return !this.#parts.config.templates.has(template) && !this.#absences.isDeserted(template);
  }

  /** Stores what is meant. @returns why that was not possible; null when it is on disk */
  async #save(): Promise<Error | null> {
    try {
      await this.#parts.records.save();
      return null;
    } catch (error) {
      return toOverworldError(error);
    }
  }

  #begin(starts: readonly Start[], isSaved: boolean): void {
    for (const { record, cause } of starts) {
      if (isSaved) this.#work.tasks.begin(record, () => prepareAndStart(record, cause, this.#parts));
      else takeBack(record);
    }
  }

  #carryOnWithServices(): void {
    const { tasks } = this.#work;
    // Ends do not wait for the disk: they may be what gives it room again, and a forgotten one makes no twin.
    for (const record of this.#parts.records.all) tasks.endIfStopping(record);
    this.#parts.pinger.watch(pingSubjects(this.#parts));
    tasks.forgetEnds();
  }

  /** Overrides of templates and nodes that are gone; not before it is known which nodes there are. */
  async #forgetHolds(): Promise<void> {
    const { overrides, provider } = this.#parts;
    if (!provider.listed()) return;
    await overrides.tidy({
      template: (id) => !this.#absences.isForgotten(id),
      nodes: provider.nodes().map(({ id }) => id),
    });
  }
}
