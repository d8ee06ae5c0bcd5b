import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/rpc/contract.ts';
import { call, subscribe } from '../../bridge/bridge.ts';
import { link } from '../connection/link.svelte.ts';

/** Lines asked for when a console opens. */
const FIRST_LINES = 2000;
/** Lines kept here; older ones are in the service's kept log. */
export const MOST_LINES = 20_000;
/** Lines read at once when somebody scrolls up. */
const OLDER_LINES = 1000;
/** Lines shown before and after one that was searched for far back. */
const AROUND_LINES = 400;

/** One line as a console shows it. */
export interface ConsoleLine extends LogLine {
  /** When it came, ms since epoch; null: it was there before the console was opened. */
  readonly at: number | null;
  /** Whose line it is, where several stand together. */
  readonly from?: ServiceId;
}

/** Puts new lines behind known ones: none twice, none out of order; the oldest go when there are too many. */
export function appendLines<L extends LogLine>(known: readonly L[], lines: readonly L[]): readonly L[] {
  const last = known.at(-1)?.seq ?? -1;
  const fresh = lines.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return known;
  const all = [...known, ...fresh];
  return all.length > MOST_LINES ? all.slice(all.length - MOST_LINES) : all;
}

/** Follows one service's console while somebody looks at it. */
export class ServiceConsole {
  /** The end of the log, as it grows. */
  live = $state.raw<readonly ConsoleLine[]>([]);
  /** A part of the log further back, shown instead; null: the end is shown. */
  excerpt = $state.raw<readonly ConsoleLine[] | null>(null);
  readonly lines: readonly ConsoleLine[] = $derived(this.excerpt ?? this.live);
  /** True once the first lines are there. */
  loaded = $state(false);
  /** Its process is gone; no more will come until it is started again. */
  ended = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Older lines are on their way. */
  loadingOlder = $state(false);
  /** The first line shown is the first that is kept. */
  atBegin = $state(false);
  readonly id: ServiceId;
  #listeners: readonly ((lines: readonly ConsoleLine[]) => void)[] = [];
  #run = 0;
  /** Process whose log is followed; undefined before the first. */
  #pid: number | null | undefined;
  /** Lines that came while the first ones were still on their way. */
  #early: readonly ConsoleLine[] = [];

  constructor(id: ServiceId) {
    this.id = id;
  }

  /** Begins to hear. @returns stops, and tells the master so */
  readonly connect = (): (() => void) => {
    const stops = [
      subscribe('notification', (notification) => {
        if (notification.name !== 'service.log' || notification.params.id !== this.id) return;
        this.#take(notification.params.lines, notification.params.ended);
      }),
      // The master forgets who follows when the connection ends.
      link.onConnected(() => void this.follow()),
    ];
    return () => {
      this.#run += 1;
      for (const stop of stops) stop();
      // Gone or not connected: then nothing is followed any more either.
      call('services.unfollowLog', { id: this.id }).catch(() => undefined);
    };
  };

  /** Calls back with lines as they come, the first ones together. */
  readonly onLines = (listener: (lines: readonly ConsoleLine[]) => void): (() => void) => {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  };

  /** Follows the log of the service's process, null = it has none now; the same one twice is nothing new. */
  readonly followProcess = (pid: number | null): void => {
    if (pid === this.#pid) return;
    this.#pid = pid;
    void this.follow();
  };

  /** Reads the last lines and follows on: at first, after a reconnect, and when a new process has begun. */
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

  /** Reads lines before the first one shown. @returns how many came */
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

  /** Shows the log around a line, wherever it stands. @throws OverworldError */
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

  /** Back to where new lines come. */
  readonly showEnd = (): void => {
    this.excerpt = null;
    this.atBegin = (this.live[0]?.seq ?? 0) === 0;
  };

  /** Kept lines from one number up to before another; answers are bounded, so there may be several. */
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
