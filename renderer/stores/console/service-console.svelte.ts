import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/rpc/contract.ts';
import { call, subscribe } from '../../bridge/bridge.ts';
import { link } from '../connection/link.svelte.ts';

/** Number of lines to request when a console opens. */
const FIRST_LINES = 2000;
/** Maximum number of lines kept here. Older ones are in the service's stored log. */
export const MOST_LINES = 20_000;
/** Number of lines to read when a person scrolls up. */
const OLDER_LINES = 1000;
/** Number of lines to show before and after a search hit far back in the log. */
const AROUND_LINES = 400;

/** A line as a console shows it. */
export interface ConsoleLine extends LogLine {
  /** Time of arrival (ms since epoch). Null if the line was written before the console was opened. */
  readonly at: number | null;
  /** The service that wrote the line, in a merged log. */
  readonly from?: ServiceId;
}

/** Appends new lines to known ones without duplicates and in order. Drops the oldest lines beyond the maximum. */
export function appendLines<L extends LogLine>(known: readonly L[], lines: readonly L[]): readonly L[] {
  const last = known.at(-1)?.seq ?? -1;
  const fresh = lines.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return known;
  const all = [...known, ...fresh];
  return all.length > MOST_LINES ? all.slice(all.length - MOST_LINES) : all;
}

/** Follows a service's console while it is shown. */
export class ServiceConsole {
  /** The end of the log, as it grows. */
  live = $state.raw<readonly ConsoleLine[]>([]);
  /** An earlier part of the log that is shown instead. Null while the end is shown. */
  excerpt = $state.raw<readonly ConsoleLine[] | null>(null);
  readonly lines: readonly ConsoleLine[] = $derived(this.excerpt ?? this.live);
  /** Whether the first lines have arrived. */
  loaded = $state(false);
  /** Whether the process has exited. No lines follow until it is started again. */
  ended = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Whether older lines are loading. */
  loadingOlder = $state(false);
  /** Whether the first line shown is the first one stored. */
  atBegin = $state(false);
  readonly id: ServiceId;
  #listeners: readonly ((lines: readonly ConsoleLine[]) => void)[] = [];
  #run = 0;
  /** Process whose log is followed. Undefined before the first one. */
  #pid: number | null | undefined;
  /** Lines that arrived before the first answer. */
  #early: readonly ConsoleLine[] = [];

  constructor(id: ServiceId) {
    this.id = id;
  }

  /** Starts listening. @returns a function that stops it and unsubscribes on the master */
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
      // If the service is deleted or the connection is lost, nothing is followed any more either.
      call('services.unfollowLog', { id: this.id }).catch(() => undefined);
    };
  };

  /** Calls the listener with new lines. The first ones arrive together. */
  readonly onLines = (listener: (lines: readonly ConsoleLine[]) => void): (() => void) => {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  };

  /** Follows the log of the service's process. Null: it has none now. Does nothing for the same process. */
  readonly followProcess = (pid: number | null): void => {
    if (pid === this.#pid) return;
    this.#pid = pid;
    void this.follow();
  };

  /** Reads the last lines and follows the log: initially, after a reconnect, and when a new process starts. */
  readonly follow = async (): Promise<void> => {
    const run = ++this.#run;
    this.#early = [];
    this.loaded = false;
    this.error = null;
    try {
      const lines = await call('services.followLog', { id: this.id, lines: FIRST_LINES });
      if (run !== this.#run) return;
      this.live = appendLines<ConsoleLine>(
        lines.map((line) => ({ ...line, at: null })),
        this.#early,
      );
      this.excerpt = null;
      this.atBegin = (lines[0]?.seq ?? 0) === 0;
      this.ended = false;
      this.#tell(this.live);
    } catch (thrown) {
      if (run !== this.#run) return;
      this.error = toOverworldError(thrown);
    }
    this.loaded = true;
  };

  /** Sends one line to the server's console. @throws OverworldError */
  readonly send = async (line: string): Promise<void> => {
    await call('services.command', { id: this.id, line });
  };

  /** Reads the lines before the first one shown. @returns the number of lines read */
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

  /** Shows the log around any line. @throws OverworldError */
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
   * Reads stored lines from one number up to, not including, another. Answers are limited, so this may take several
   * requests.
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
      this.#tell(arrived.filter(({ seq }) => seq > before));
    } else {
      this.#early = appendLines(this.#early, arrived);
    }
    if (ended) this.ended = true;
  }

  #tell(lines: readonly ConsoleLine[]): void {
    if (lines.length > 0) for (const listener of this.#listeners) listener(lines);
  }
}
