import type { Link, Preferences } from '#shared/ipc/contract.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { MasterNotification } from '../connections/rpc-client.ts';
import type { MasterLink } from '../connections/link.ts';
import type { Log } from '../environment/log.ts';
import { decideNotes, NO_MEMORY, notifiedKinds, type Note, type NoteMemory } from './decide.ts';
import { pickNewEvents, type SeenEvents } from './new-events.ts';

/** Delay before new events are read (ms), so that a burst of events causes one request. */
const GATHER_MS = 500;
/** Time without a connection after which a notification is shown (ms). */
export const LINK_LOST_MS = 30_000;
/** Maximum number of events to read at once. If more events are new, the oldest get no notification. */
const PAGE = 100;

/** A notification about one master. */
export interface ShownNote extends Note {
  /** Id of the connection to this master. */
  readonly connection: string;
}

interface Options {
  readonly link: Pick<MasterLink, 'link' | 'call'>;
  readonly log: Log;
  readonly preferences: () => Preferences['notifications'];
  /** Returns whether the window has the focus. If so, the person sees the window, and no notification is shown. */
  readonly isSeen: () => boolean;
  readonly show: (note: ShownNote) => void;
}

/**
 * Watches the master's events and the link. Shows notifications about problems while the window does not have the
 * focus.
 */
export class NotificationWatch {
  readonly #options: Options;
  #memory: NoteMemory = NO_MEMORY;
  #seen: SeenEvents | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lost: NodeJS.Timeout | null = null;
  #stood: string | null = null;
  #generation = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Handles a change of the link's state. After a connect, looks for new events. If the link is lost, shows a
   * notification after 30 s.
   */
  applyLink(link: Link): void {
    if (link.status === 'connected') {
      this.#stood = link.connection;
      this.#clearLost();
      if (link.generation !== this.#generation) this.#readSoon();
      this.#generation = link.generation;
      return;
    }
    // The user selected another master, so no link was lost.
    if (this.#stood !== link.connection) {
      this.#stood = null;
      this.#clearLost();
    }
    if (this.#stood !== null && this.#lost === null) {
      this.#lost = setTimeout(() => this.#notifyLost(), LINK_LOST_MS);
    }
  }

  /**
   * Handles a notification of the master. Looks for new events if the activity log has changed. Ignores all other
   * notifications.
   */
  handleNotification(notification: MasterNotification): void {
    if (notification.name === 'stale' && notification.params.topics.includes('activity')) this.#readSoon();
  }

  /** Stops the watch. No notification is shown afterwards, unless the link changes again. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#clearLost();
    this.#stood = null;
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#readEvents().catch((error: unknown) => {
        this.#options.log.info(
          { err: error },
          'the newest events could not be read; they are read after the next event or reconnect',
        );
      });
    }, GATHER_MS);
  }

  async #readEvents(): Promise<void> {
    const { link } = this.#options;
    const { status, run, generation, connection, clockOffsetMs } = link.link;
    if (status !== 'connected' || run === null) return;
    const events = await link.call('activity.list', { limit: PAGE, kinds: [...notifiedKinds] });
    const now = Date.now() + clockOffsetMs;
    const picked = pickNewEvents(this.#seen, { run, generation, events, now });
    this.#seen = picked.seen;
    this.#notify(picked.events, connection);
  }

  #notify(events: readonly ActivityEvent[], connection: string): void {
    const { preferences, isSeen, show } = this.#options;
    if (events.length === 0 || isSeen()) return;
    const decided = decideNotes(events, {
      preferences: preferences(),
      memory: this.#memory,
      now: Date.now(),
    });
    this.#memory = decided.memory;
    for (const note of decided.notes) show({ ...note, connection });
  }

  #notifyLost(): void {
    this.#lost = null;
    const { link, preferences, isSeen, show } = this.#options;
    const { name, error, status, connection } = link.link;
    this.#stood = null;
    if (status === 'connected' || !preferences().nodes || isSeen()) return;
    const body = error?.message ?? 'The app reconnects automatically.';
    const title = `No connection to ${name} for ${LINK_LOST_MS / 1000} s`;
    show({ title, body, route: 'overview', connection });
  }

  #clearLost(): void {
    if (this.#lost !== null) clearTimeout(this.#lost);
    this.#lost = null;
  }
}
