import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import { call, subscribe } from '../../bridge/bridge.ts';
import { link } from '../connection/link.svelte.ts';

/** Number of lines to request when a console opens. */
const FIRST_LINES = 2000;
/** Maximum number of lines that a console keeps in memory. Older ones can be read from the service's stored log. */
export const MOST_LINES = 20_000;
/** Number of lines to read when a person scrolls up. */
const OLDER_LINES = 1000;
/** Number of lines to show before and after a search hit that is in an earlier part of the log. */
const AROUND_LINES = 400;

/** A line as a console shows it. */
export interface ConsoleLine extends LogLine {
  /**
   * Time of arrival (ms since epoch). Null if the line was read from the stored log, so that its time of arrival is
   * unknown.
   */
  readonly at: number | null;
  /** The service that wrote the line. Set only in merged logs. */
  readonly from?: ServiceId;
}

/** Appends the lines that are newer than the known ones. Drops the oldest lines beyond the maximum. */
export function appendLines<L extends LogLine>(known: readonly L[], lines: readonly L[]): readonly L[] {
  const last = known.at(-1)?.seq ?? -1;
  const fresh = lines.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return known;
  const all = [...known, ...fresh];
  return all.length > MOST_LINES ? all.slice(all.length - MOST_LINES) : all;
}

/** Follows a service's console while it is shown. */
export class ServiceConsole {
  /** The newest lines of the log. New lines are appended. */
  live = $state.raw<readonly ConsoleLine[]>([]);
  /** An earlier part of the log that is shown instead of `live`. Null while `live` is shown. */
  excerpt = $state.raw<readonly ConsoleLine[] | null>(null);
  readonly lines: readonly ConsoleLine[] = $derived(this.excerpt ?? this.live);
  /** Whether the first lines have arrived. */
  loaded = $state(false);
  /** Whether the service's process has exited. Until the service starts again, no lines follow. */
  ended = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Why the log could not be followed. Null if it is followed, and until the master has answered. */
  followError = $state.raw<OverworldError | null>(null);
  /** Whether older lines are loading. */
  loadingOlder = $state(false);
  /** Whether the first displayed line is the first line of the log. */
  atBegin = $state(false);
  /**
   * Number of times that the lines of another process have replaced the lines of the process before. Each process
   * numbers its lines from 0, so a line number only identifies a line between two restarts.
   */
  restarts = $state(0);
  readonly id: ServiceId;
  #listeners: readonly ((lines: readonly ConsoleLine[]) => void)[] = [];
  #run = 0;
  /** Id of the process whose log is followed. Null: the service has no process. Undefined before the first call. */
  #pid: number | null | undefined;
  /** Id of the process that wrote the lines. Null: an earlier process of a service that has none now. */
  #writer: number | null | undefined;
  /** Lines that were pushed before the response to `services.followLog` arrived. */
  #early: readonly ConsoleLine[] = [];

  constructor(id: ServiceId) {
    this.id = id;
  }

  /**
   * Receives pushed lines, and follows the log again after a reconnect.
   *
   * @returns a function that stops the updates and unsubscribes on the master
   */
  readonly connect = (): (() => void) => {
    const stops = [
      subscribe('notification', (notification) => {
        if (notification.name !== 'service.log' || notification.params.id !== this.id) return;
        this.#take(notification.params.lines, notification.params.ended);
      }),
      // The master drops subscriptions when the connection ends.
      link.onConnected(() => void this.follow()),
    ];
    return () => {
      this.#run += 1;
      for (const stop of stops) stop();
      // A failure is ignored: the service was removed or the connection was lost, and this has also ended the
      // subscription.
      call('services.unfollowLog', { id: this.id }).catch(() => undefined);
    };
  };

  /**
   * Calls the listener with new lines, and with all known lines after each {@link follow}. The list is empty if the
   * log has no lines or could not be read.
   */
  readonly onLines = (listener: (lines: readonly ConsoleLine[]) => void): (() => void) => {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  };

  /**
   * Follows the log of another process of the service. Does nothing if the process is the same as before.
   *
   * @param pid null if the service has no process now
   */
  readonly followProcess = (pid: number | null): void => {
    if (pid === this.#pid) return;
    this.#pid = pid;
    void this.follow();
  };

  /** Reads the last lines and follows the log. Called initially, after a reconnect, and when a new process starts. */
  readonly follow = async (): Promise<void> => {
    const run = ++this.#run;
    this.#early = [];
    this.loaded = false;
    this.error = null;
    this.followError = null;
    let known: readonly ConsoleLine[] = [];
    try {
      const lines = await call('services.followLog', { id: this.id, lines: FIRST_LINES });
      if (run !== this.#run) return;
      this.live = appendLines<ConsoleLine>(
        lines.map((line) => ({ ...line, at: null })),
        this.#early,
      );
      this.excerpt = null;
      this.#noteWriter();
      this.atBegin = (lines[0]?.seq ?? 0) === 0;
      this.ended = false;
      known = this.live;
    } catch (thrown) {
      if (run !== this.#run) return;
      this.followError = toOverworldError(thrown);
      this.error = this.followError;
    }
    this.loaded = true;
    this.#emit(known);
  };

  /** Counts a restart if the lines are those of another process. The lines of an exited process stay its lines. */
  #noteWriter(): void {
    if (this.#pid === undefined || (this.#pid === null && this.#writer !== undefined)) return;
    if (this.#writer !== undefined && this.#writer !== this.#pid) this.restarts += 1;
    this.#writer = this.#pid;
  }

  /** Sends one line to the server's console. @throws OverworldError */
  readonly send = async (line: string): Promise<void> => {
    await call('services.command', { id: this.id, line });
  };

  /**
   * Reads lines before the first displayed one. @returns the number of lines read; 0 if there are none or the request
   * fails
   */
  readonly loadOlder = async (): Promise<number> => {
    const first = this.lines[0]?.seq ?? 0;
    if (this.loadingOlder || this.atBegin || !this.loaded || this.lines.length >= MOST_LINES) return 0;
    const run = this.#run;
    this.loadingOlder = true;
    try {
      const older = await this.#read(Math.max(0, first - OLDER_LINES), first);
      if (run !== this.#run || this.lines[0]?.seq !== first) return 0;
      this.atBegin = older.length === 0 || older[0]?.seq === 0;
      if (this.excerpt === null) this.live = [...older, ...this.live];
      else this.excerpt = [...older, ...this.excerpt];
      return older.length;
    } catch (thrown) {
      this.error = toOverworldError(thrown);
      return 0;
    } finally {
      this.loadingOlder = false;
    }
  };

  /**
   * Shows the log around the line with this number. Loads the lines if they are not among the newest. @throws
   * OverworldError
   */
  readonly showAround = async (seq: number): Promise<void> => {
    const first = this.live[0]?.seq;
    if (first !== undefined && seq >= first) {
      this.showEnd();
      return;
    }
    const lines = await this.#read(Math.max(0, seq - AROUND_LINES), seq + AROUND_LINES);
    this.atBegin = lines[0]?.seq === 0;
    this.excerpt = lines;
  };

  /** Returns to the end of the log, where new lines appear. */
  readonly showEnd = (): void => {
    this.excerpt = null;
    this.atBegin = (this.live[0]?.seq ?? 0) === 0;
  };

  /**
   * Reads the stored lines with the numbers `from` (included) to `to` (excluded). Sends several requests if one
   * response cannot contain all lines.
   */
  async #read(from: number, to: number): Promise<readonly ConsoleLine[]> {
    const lines: ConsoleLine[] = [];
    for (let next: number | null = from; next !== null && next < to;) {
      const page: { lines: LogLine[]; next: number | null } = await call('services.readLog', {
        id: this.id,
        from: next,
        limit: to - next,
      });
      lines.push(...page.lines.filter(({ seq }) => seq < to).map((line) => ({ ...line, at: null })));
      next = page.next;
    }
    return lines;
  }

  #take(lines: readonly LogLine[], ended: boolean): void {
    const at = Date.now();
    const arrived = lines.map((line) => ({ ...line, at }));
    if (this.loaded) {
      const before = this.live.at(-1)?.seq ?? -1;
      this.live = appendLines(this.live, arrived);
      this.#emit(arrived.filter(({ seq }) => seq > before));
    } else {
      this.#early = appendLines(this.#early, arrived);
    }
    if (ended) this.ended = true;
  }

  #emit(lines: readonly ConsoleLine[]): void {
    for (const listener of this.#listeners) listener(lines);
  }
}
