import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ActivityEvent, EventKind } from '#shared/model/event.ts';
import { call } from '../bridge/bridge.ts';
import { Refresher } from './refresher.ts';

/** Number of events per answer. */
export const PAGE = 200;

export interface ActivityFilter {
  readonly template?: string;
  /** Id of the service, template or other object the event is about. */
  readonly subject?: string;
  readonly kinds?: readonly EventKind[];
  readonly actor?: string;
  /** Words that must all occur in the event. */
  readonly text?: string;
  /** Time range (ms since epoch): `from` is included, `until` is not. */
  readonly from?: number;
  readonly until?: number;
}

/**
 * Puts the newest page on top of the known events. If the two do not overlap because more happened than a page
 * holds, it drops the older events, since a list with a gap would be misleading. They are loaded again by
 * scrolling.
 */
export function mergeNewest(
  known: readonly ActivityEvent[],
  newest: readonly ActivityEvent[],
): readonly ActivityEvent[] {
  const oldest = newest.at(-1);
  if (oldest === undefined || newest.length < PAGE) {
    // The page reaches the oldest known event, or holds the whole log: the known events stay below it.
    return oldest === undefined ? known : [...newest, ...known.filter(({ seq }) => seq < oldest.seq)];
  }
  const touches = known.some(({ seq }) => seq >= oldest.seq);
  return touches ? [...newest, ...known.filter(({ seq }) => seq < oldest.seq)] : newest;
}

/** Part of the activity log, newest first. It grows upwards with new events and downwards by scrolling. */
export class ActivityFeed {
  events = $state.raw<readonly ActivityEvent[]>([]);
  loaded = $state(false);
  loadingOlder = $state(false);
  /** Whether there are no older events. */
  atEnd = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Number of events since updates were paused, at most a page. They are not shown yet. */
  newer = $state(0);
  /** Newest page that arrived while updates were paused. */
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

  /** Pauses updates while a person reads: the list stays in place and new events are only counted. */
  readonly hold = (): void => {
    this.#held = true;
  };

  /** Resumes updates and shows the events that arrived meanwhile. */
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

  /** Loads the next older page. Does nothing while a page is loading or if there are no older events. */
  readonly loadOlder = async (): Promise<void> => {
    const before = this.events.at(-1)?.seq;
    if (this.loadingOlder || this.atEnd || before === undefined) return;
    this.loadingOlder = true;
    try {
      const older = await this.#page({ before });
      // The list was started again meanwhile, so this page no longer follows it.
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

/** The unfiltered log for the Overview screen and the initial Activity screen. */
export const activity = new ActivityFeed({});
