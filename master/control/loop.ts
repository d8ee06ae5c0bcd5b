import type { Service } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { serviceRamMb } from '#shared/config/template.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Plan } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import { Absences } from './absences.ts';
import { Fleet } from './act/fleet.ts';
import { prepareAndStart, takeBack } from './act/start.ts';
import { markStopping } from './act/stop.ts';
import { ServiceTasks } from './act/tasks.ts';
import { Board, toService } from './board.ts';
import { intend, showWaits } from './intend.ts';
import { Deletions } from './deletions.ts';
import { Dawn } from './dawn.ts';
import { Haste } from './haste.ts';
import { Lookout } from './lookout.ts';
import { NodeNews } from './node-news.ts';
import { NodeTimes } from './node-times.ts';
import { observe } from './observe.ts';
import { Outdated } from './started-from.ts';
import { Outlook } from './outlook.ts';
import type { Parts } from './parts.ts';
import { pingTargetOf } from './pinger.ts';
import type { ServiceRecord } from './records.ts';
import { takeSnapshot, viewNodes } from './snapshot.ts';
import { StartWatch } from './start-watch.ts';
import { tellTrouble, tellUnmet } from './tell.ts';
import { WayIn } from './way-in/way-in.ts';

const TROUBLE = 'The master cannot start services at the moment; it tries again every second';

/** What is planned while the master shuts down. */
const NO_PLAN: Plan = { actions: [], waiting: new Map(), unmet: new Map(), noOrder: null, kept: new Map() };

/** A round that fails again and again is told once in this time, ms. */
const TROUBLE_TOLD_EVERY_MS = 60_000;

/**
 * The loop: observe → plan → act, once a second and at once when something happened. One round at a time; what takes
 * long (starting, stopping, hearing the last words of what failed) runs beside the rounds, one task per service.
 */
export class Loop {
  readonly board = new Board();
  readonly outlook = new Outlook();
  readonly outdated = new Outdated();
  readonly deletions: Deletions;
  readonly nodeTimes: NodeTimes;
  readonly #parts: Parts;
  readonly #tasks: ServiceTasks;
  readonly #startWatch: StartWatch;
  readonly #fleet: Fleet;
  readonly #lookout: Lookout;
  readonly #absences: Absences;
  readonly #nodeNews: NodeNews;
  readonly #dawn: Dawn;
  readonly #wayIn: WayIn;
  readonly #haste: Haste;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #again = false;
  /** When a failed round was last told to people, on a clock that nobody sets. */
  #troubleToldAt = -Infinity;
  #mode: 'running' | 'emptying' | 'closed' = 'running';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#tasks = new ServiceTasks(parts, () => this.poke());
    this.#startWatch = new StartWatch(parts, () => this.poke());
    this.#fleet = new Fleet(parts, () => this.poke());
    this.#lookout = new Lookout(parts);
    this.#absences = new Absences(parts.config);
    this.#nodeNews = new NodeNews(parts.events, parts.now);
    this.#dawn = new Dawn(parts);
    this.#wayIn = new WayIn(parts);
    this.#haste = new Haste(() => this.#go());
    this.deletions = new Deletions(parts, () => this.poke());
    this.nodeTimes = new NodeTimes(parts.now);
  }

  /** Takes over what runs already, then goes round until {@link Loop.close}. */
  async start(): Promise<void> {
    await this.#parts.provider.refresh();
    // Seen before anything is planned, so that the first ping asks what runs already who is on it.
    await this.#observe().catch((error: unknown) => this.#roundFailed(error));
    await this.#pingAndRound();
    this.#schedule();
  }

  /** Something happened: go round soon. Many calls at once make one round. */
  poke(): void {
    this.#lookout.expectNews();
    this.#go();
  }

  /** Plugins said something that no node has to be asked about: go round soon, as often as that costs little. */
  hurry(): void {
    if (this.#mode !== 'closed') this.#haste.call();
  }

  #go(): void {
    if (this.#mode === 'closed') return;
    if (this.#round !== null) {
      this.#again = true;
      return;
    }
    this.#round = this.#rounds()
      .catch((error: unknown) => this.#roundFailed(error))
      .finally(() => {
        this.#round = null;
      });
  }

  /** Resolves when a round that began after this call has ended. */
  async settled(): Promise<void> {
    await this.#round;
    this.poke();
    await this.#round;
  }

  /** From now on this service is ended without time to save, also if its stop is already under way. */
  kill(record: ServiceRecord): void {
    this.#tasks.kill(record);
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
      await Promise.race([pause, this.#tasks.one()]);
    }
  }

  /**
   * Ends the loop; services live on, also those that are being stopped. Waits for starts under way, so that nothing is
   * half-made; after it nothing is written any more, as the next master may be reading.
   */
  async close(): Promise<void> {
    this.#mode = 'closed';
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#haste.close();
    this.#startWatch.close();
    await this.#round;
    for (const { id, stopping } of this.#parts.records.all) if (stopping === null) await this.#tasks.of(id);
    await this.#fleet.settled();
    await this.deletions.settled();
    // What was asked for while the last round was under way.
    const unsaved = await this.#save();
    if (unsaved !== null) this.#parts.log.error({ err: unsaved }, 'what is meant could not be stored');
    await this.#parts.records.close();
    await this.#parts.holds.close();
  }

  #schedule(): void {
    if (this.#mode === 'closed') return;
    this.#timer = setTimeout(() => {
      this.#pingAndRound()
        .catch((error: unknown) => this.#parts.log.error({ err: error }, 'pinging failed'))
        .finally(() => this.#schedule());
    }, this.#parts.limits.roundMs);
  }

  async #pingAndRound(): Promise<void> {
    const { pinger, records, provider } = this.#parts;
    await provider.refresh();
    await pinger.pingAll(records.all.map(pingTargetOf).filter((target) => target !== null));
    this.#go();
    await this.#round;
  }

  async #rounds(): Promise<void> {
    let again: boolean;
    do {
      this.#again = false;
      again = await this.#oneRound();
    } while ((again || this.#wasPoked()) && !this.#isClosed());
  }

  #wasPoked(): boolean {
    return this.#again;
  }

  #isClosed(): boolean {
    return this.#mode === 'closed';
  }

  /** @returns true when another round is to follow at once: new requests want a node */
  async #oneRound(): Promise<boolean> {
    const { parts, began } = { parts: this.#parts, began: performance.now() };
    await this.#observe();
    const snapshot = takeSnapshot(parts);
    const isDark = this.#dawn.isDark();
    const planned: Plan = this.#mode === 'running' && !isDark ? plan(snapshot) : NO_PLAN;
    this.#absences.refresh();
    const starts = intend(
      planned.actions,
      ({ id, template }) => this.#tasks.has(id) || this.#isAway(template),
      parts,
    );
    showWaits(planned, parts);
    // What is meant is on disk before it is begun: a crash in between is found again.
    const unsaved = await this.#save();
    for (const { record, cause } of starts) {
      if (unsaved !== null) takeBack(record);
      else this.#tasks.begin(record, () => prepareAndStart(record, cause, parts));
    }
    // Before that it is not known which services there are: a plugin in one that is unknown yet must not be refused.
    if (!isDark) this.#wayIn.tell();
    // Ends do not wait for the disk: they may be what gives it room again, and a forgotten one makes no twin.
    for (const record of parts.records.all) this.#tasks.endIfStopping(record);
    this.#startWatch.look();
    this.#tasks.forgetKills();
    this.#show(planned);
    if (unsaved !== null) throw unsaved;
    const { actions } = planned;
    await this.#fleet.carryOut(actions, snapshot);
    this.deletions.carryOn();
    await this.#forgetHolds();
    const ms = performance.now() - began;
    this.#haste.cost(ms);
    const numbers = {
      services: snapshot.services.length,
      actions: actions.length,
      ms,
    };
    parts.log[actions.length > 0 ? 'info' : 'trace'](numbers, 'round');
    return actions.some((action) => action.kind === 'request');
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

  /** A failed round is no end: the next one tries again. People see it in the activity log, as long as it lasts. */
  #roundFailed(error: unknown): void {
    const { log, events } = this.#parts;
    log.error({ err: error }, 'a round failed; the next one tries again');
    const now = performance.now();
    if (now - this.#troubleToldAt < TROUBLE_TOLD_EVERY_MS) return;
    this.#troubleToldAt = now;
    tellTrouble(events, toOverworldError(error).message, TROUBLE);
  }

  async #observe(): Promise<void> {
    if (this.#tasks.size > 0) this.#lookout.expectNews();
    // Also those that end while the nodes are looked at: what was seen may be from before.
    const busy = this.#tasks.busy();
    const sights = await this.#lookout.look();
    const beside = {
      busy: new Set([...busy, ...this.#tasks.busy()]),
      begin: (record: ServiceRecord, work: () => Promise<void>) => this.#tasks.begin(record, work),
    };
    await observe(sights, beside, this.#parts);
  }

  /** Its document is not there, and may have been taken away only for a moment. */
  #isAway(template: TemplateId): boolean {
    return !this.#parts.config.templates.has(template) && !this.#absences.isDeserted(template);
  }

  /** Holds of templates and nodes that are gone. */
  async #forgetHolds(): Promise<void> {
    const { holds, provider } = this.#parts;
    await holds.tidy({
      template: (id) => !this.#absences.isForgotten(id),
      nodes: provider.nodes().map(({ id }) => id),
    });
  }

  #show(planned: Plan): void {
    const { records, topics, events, now } = this.#parts;
    this.outdated.refresh(this.#parts);
    this.nodeTimes.see(viewNodes(this.#parts));
    if (this.#nodeNews.see(this.#parts.provider)) topics.publish('nodes');
    const services = records.all.map((record) => this.#toService(record));
    if (this.board.update(services)) topics.publish('services', 'nodes');
    const stale = this.outlook.update(planned);
    if (stale.length > 0) topics.publish(...stale);
    for (const { template, unmet } of this.outlook.newLacks(now())) tellUnmet(events, template, unmet);
  }

  #toService(record: ServiceRecord): Service {
    const template = this.#parts.config.templates.get(record.template);
    const ramMb = record.placed?.ramMb ?? (template === undefined ? 0 : serviceRamMb(template.state.config));
    return toService(record, ramMb, this.outdated.of(record));
  }
}
