import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ActivityEvent, EventKind } from '#shared/model/event.ts';
import { call } from '../bridge/bridge.ts';
import { Refresher } from './refresher.ts';

/** Events in one answer. */
export const PAGE = 200;

export interface ActivityFilter {
  readonly template?: string;
  /** Id of the service, template … it happened to. */
  readonly subject?: string;
  readonly kinds?: readonly EventKind[];
  readonly actor?: string;
  /** Each of its words is found in the event. */
  readonly text?: string;
  /** Times, ms since epoch: `from` included, `until` not. */
  readonly from?: number;
  readonly until?: number;
}

/**
 * Puts the newest page on top of what is known. Where they do not touch (more happened than a page holds), the
 * older ones are let go: a list with a hole would lie. They come back by scrolling.
 */
export function mergeNewest(
  known: readonly ActivityEvent[],
  newest: readonly ActivityEvent[],
): readonly ActivityEvent[] {
  const oldest = newest.at(-1);
  if (oldest === undefined || newest.length < PAGE) {
    // Everything there is, or everything since: older ones known stay below.
    return oldest === undefined ? known : [...newest, ...known.filter(({ seq }) => seq < oldest.seq)];
  }
  const touches = known.some(({ seq }) => seq >= oldest.seq);
  return touches ? [...newest, ...known.filter(({ seq }) => seq < oldest.seq)] : newest;
}

/** Part of the activity log, newest first, growing upwards with events and downwards by scrolling. */
export class ActivityFeed {
  events = $state.raw<readonly ActivityEvent[]>([]);
  loaded = $state(false);
  loadingOlder = $state(false);
  /** True when there is nothing older. */
  atEnd = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Events that have happened since it is held, at most a page: they are not shown yet. */
  newer = $state(0);
  /** The newest page that came while it was held. */
  #waiting: readonly ActivityEvent[] | null = null;
  #held = false;
  readonly #filter: ActivityFilter;
  readonly refresher: Refresher<readonly ActivityEvent[]>;

  constructor(filter: ActivityFilter) {
    this.#filter = filter;
    this.refresher = new Refresher<readonly ActivityEvent[]>({
      fetch: () => this.#page({}),
      apply: (newest) => {
        if (this.#held && this.loaded) this.#keepBack(newest);
        else this.#take(newest);
      },
      onstate: ({ loading, error }) => {
        if (!loading) this.error = error;
      },
    });
  }

  /** Somebody reads: what is shown stays where it is, new events are only counted. */
  readonly hold = (): void => {
    this.#held = true;
  };

  /** Shows what has been kept back, and new events as they come. */
  readonly letGo = (): void => {
    this.#held = false;
    this.newer = 0;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) this.#take(waiting);
  };

  #keepBack(newest: readonly ActivityEvent[]): void {
    const top = this.events[0]?.seq ?? 0;
    this.newer = newest.filter(({ seq }) => seq > top).length;
    this.#waiting = newest;
  }

  #take(newest: readonly ActivityEvent[]): void {
    const merged = mergeNewest(this.events, newest);
    if (merged.length < this.events.length || newest.length < PAGE) this.atEnd = newest.length < PAGE;
    this.events = merged;
    this.loaded = true;
  }

  /** Loads the page below; does nothing while one is coming or when there is none. */
  readonly loadOlder = async (): Promise<void> => {
    const before = this.events.at(-1)?.seq;
    if (this.loadingOlder || this.atEnd || before === undefined) return;
    this.loadingOlder = true;
    try {
      const older = await this.#page({ before });
      // The list was begun anew meanwhile: this page no longer follows it.
      if (this.events.at(-1)?.seq !== before) return;
      this.events = [...this.events, ...older];
      this.atEnd = older.length < PAGE;
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.loadingOlder = false;
    }
  };

  #page(from: { before?: number }): Promise<readonly ActivityEvent[]> {
    const { kinds, ...rest } = this.#filter;
    return call('activity.list', {
      ...rest,
      ...from,
      ...(kinds === undefined ? {} : { kinds: [...kinds] }),
      limit: PAGE,
    });
  }
}

/** The log without a filter: for Overview, and for Activity as it opens. */
export const activity = new ActivityFeed({});
