import { serviceRamMb } from '#shared/config/template.ts';
import type { Service } from '#shared/model/service.ts';
import type { Plan } from '#master/core/action.ts';
import { Board, toService } from './board.ts';
import { NodeNews } from './node-news.ts';
import { Outlook } from './outlook.ts';
import type { Parts } from './parts.ts';
import type { ServiceRecord } from './records.ts';
import { viewNodes } from './snapshot.ts';
import { Outdated } from './started-from.ts';
import { tellUnmet } from './tell.ts';

/** What people are shown between the rounds. */
export class Shown {
  readonly board = new Board();
  readonly outlook = new Outlook();
  readonly outdated = new Outdated();
  readonly #parts: Parts;
  readonly #nodeNews: NodeNews;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#nodeNews = new NodeNews(parts.events, parts.now);
  }

  /** Shows what is now, says which topics that makes stale, and writes what is news into the activity log. */
  update(planned: Plan): void {
    const { records, topics, events, now, provider, nodeTimes } = this.#parts;
    this.outdated.refresh(this.#parts);
    nodeTimes.see(viewNodes(this.#parts), provider.listed());
    if (this.#nodeNews.see(provider)) topics.publish('nodes');
    const services = records.all.map((record) => this.#toService(record));
    if (this.board.update(services)) topics.publish('services', 'nodes');
    const stale = this.outlook.update(planned);
    if (stale.length > 0) topics.publish(...stale);
    for (const { template, unmet } of this.outlook.newLacks(now())) tellUnmet(events, template, unmet);
  }

  #toService(record: ServiceRecord): Service {
    const template = this.#parts.config.templates.get(record.template);
    const ramMb = record.placed?.ramMb ?? (template === undefined ? 0 : serviceRamMb(template.state.config));
    const { shownHost } = this.#parts;
    return toService(record, { ramMb, outdated: this.outdated.of(record), shownHost });
  }
}
