import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ActivityEvent, EventKind } from '#shared/model/event.ts';
import { call } from '../bridge/bridge.ts';
import { Refresher } from './refresher.ts';

/** Maximum number of events in one response. */
export const PAGE = 200;

export interface ActivityFilter {
  readonly template?: string;
  /** Id of the service, template or other object that the event concerns. */
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
 * Puts the newest page on top of the known events. If events are missing between the page and the known events, drops
 * the known events, because a list with a gap would be misleading. Scrolling loads them again.
 */
export function mergeNewest<T extends { readonly seq: number }>(
  known: readonly T[],
  newest: readonly T[],
): readonly T[] {
  const oldest = newest.at(-1);
  if (oldest === undefined || newest.length < PAGE) {
    // A page that is not full contains all matching events that the log still has. Older known events stay below the
    // page.
    return oldest === undefined ? known : [...newest, ...known.filter(({ seq }) => seq < oldest.seq)];
  }
  const touches = known.some(({ seq }) => seq >= oldest.seq);
  return touches ? [...newest, ...known.filter(({ seq }) => seq < oldest.seq)] : newest;
}

/** Part of the activity log, newest first. It grows at the top with new events, and at the bottom by scrolling. */
export class ActivityFeed {
  events = $state.raw<readonly ActivityEvent[]>([]);
  loaded = $state(false);
  loadingOlder = $state(false);
  /** Whether the list contains the oldest event of the log. */
  atEnd = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Number of events that have arrived while updates are paused, at most one page. They are not shown yet. */
  newer = $state(0);
  /** Newest page that has arrived while updates are paused. Null if none has arrived. */
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

  /** Pauses updates while a person reads. New events are counted but not shown, so the list does not move. */
  readonly hold = (): void => {
    this.#held = true;
  };

  /** Resumes updates and shows the events that have arrived during the pause. */
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
    const hasSameOldest = merged.at(-1)?.seq === this.events.at(-1)?.seq;
    this.atEnd = newest.length < PAGE || (this.atEnd && hasSameOldest);
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
      // The end of the list has changed during the request, so this page does not follow it any more.
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

/** The unfiltered log for the Overview screen, and for the Activity screen before a person sets a filter. */
export const activity = new ActivityFeed({});
