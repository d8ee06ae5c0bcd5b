import type { LoopContext } from './loop-context.ts';
import { serviceRamMb } from '#shared/config/template.ts';
import type { Service } from '#shared/model/service.ts';
import type { Plan } from '#master/core/action.ts';
import { ServiceFeed, toService } from '../feed/service-feed.ts';
import { NodeEvents } from '../nodes/node-events.ts';
import { PlanStatus } from './plan-status.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { viewNodes } from '#master/state/nodes/node-view.ts';
import { Outdated } from '../services/outdated.ts';
import { emitUnmetDemand } from '#master/state/feed/emit-event.ts';
import { knownPlayers } from '#master/ingress/presence.ts';

/** The state of the network that the app displays between rounds. */
export class PublishedState {
  readonly serviceFeed = new ServiceFeed();
  readonly planStatus = new PlanStatus();
  readonly outdated = new Outdated();
  readonly #context: LoopContext;
  readonly #nodeEvents: NodeEvents;
  #hasSynced = false;
  #werePlayersKnown = false;

  constructor(context: LoopContext) {
    this.#context = context;
    this.#nodeEvents = new NodeEvents(context.events, context.now);
  }

  /** Whether the master knows which services run. If true, the last round made a plan. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Number of players on the whole network. Null while unknown, for example right after a restart of the master. */
  get players(): number | null {
    return this.#hasSynced ? knownPlayers(this.#context) : null;
  }

  /**
   * Returns what has changed since a service was started, compared with the current templates. `outdated` compares
   * with the templates as of the last round. See {@link Outdated.of}.
   */
  outdatedNow(record: ServiceRecord): string[] {
    this.outdated.refresh(this.#context);
    return this.outdated.of(record);
  }

  /**
   * Publishes the current state, marks topics as stale, and writes new events to the activity log.
   *
   * @param hasSynced whether the master knows which services run; false before the first plan
   */
  update(planned: Plan, hasSynced: boolean): void {
    this.#hasSynced = hasSynced;
    const { records, topics, events, now, registry, nodeTimes } = this.#context;
    this.outdated.refresh(this.#context);
    nodeTimes.see(viewNodes(this.#context), registry.listed());
    if (this.#nodeEvents.see(registry)) topics.publish('nodes');
    const services = records.all.map((record) => this.#toService(record));
    if (this.serviceFeed.update(services)) topics.publish('services', 'nodes');
    const arePlayersKnown = this.players !== null;
    if (arePlayersKnown !== this.#werePlayersKnown) topics.publish('services', 'players');
    this.#werePlayersKnown = arePlayersKnown;
    const stale = this.planStatus.update(planned);
    if (stale.length > 0) topics.publish(...stale);
    for (const { template, unmet } of this.planStatus.newLacks(now()))
      emitUnmetDemand(events, template, unmet);
  }

  #toService(record: ServiceRecord): Service {
    const template = this.#context.config.templates.get(record.template);
    const ramMb = record.placed?.ramMb ?? (template === undefined ? 0 : serviceRamMb(template.state.config));
    const { shownHost } = this.#context;
    return toService(record, { ramMb, outdated: this.outdated.of(record), shownHost });
  }
}
