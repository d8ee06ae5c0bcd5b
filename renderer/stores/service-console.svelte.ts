import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/rpc/contract.ts';
import { call, subscribe } from '../bridge/bridge.ts';
import { link } from './link.svelte.ts';

/** Lines asked for when a console opens. */
const FIRST_LINES = 2000;
/** Lines kept; older ones are in the service's log file. */
export const MOST_LINES = 10_000;

/** Puts new lines behind known ones: none twice, none out of order; the oldest go when there are too many. */
export function appendLines(known: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  const last = known.at(-1)?.seq ?? -1;
  const fresh = lines.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return known;
  const all = [...known, ...fresh];
  return all.length > MOST_LINES ? all.slice(all.length - MOST_LINES) : all;
}

/** Follows one service's console while it is open. */
export class ServiceConsole {
  lines = $state.raw<readonly LogLine[]>([]);
  /** True once the first lines are there. */
  loaded = $state(false);
  /** Its process is gone; no more will come until it is started again. */
  ended = $state(false);
  error = $state.raw<OverworldError | null>(null);
  readonly #id: ServiceId;
  #run = 0;
  /** Process whose log is followed; undefined before the first. */
  #pid: number | null | undefined;
  /** Lines that came while the first ones were still on their way. */
  #early: readonly LogLine[] = [];

  constructor(id: ServiceId) {
    this.#id = id;
  }

  /** Begins to hear. @returns stops, and tells the master so */
  readonly connect = (): (() => void) => {
    const stops = [
      subscribe('notification', (notification) => {
        if (notification.name !== 'service.log' || notification.params.id !== this.#id) return;
        this.#take(notification.params.lines, notification.params.ended);
      }),
      // The master forgets who follows when the connection ends.
      link.onConnected(() => void this.follow()),
    ];
    return () => {
      this.#run += 1;
      for (const stop of stops) stop();
      // Gone or not connected: then nothing is followed any more either.
      call('services.unfollowLog', { id: this.#id }).catch(() => undefined);
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
      const lines = await call('services.followLog', { id: this.#id, lines: FIRST_LINES });
      if (run !== this.#run) return;
      this.lines = appendLines(lines, this.#early);
      this.ended = false;
    } catch (thrown) {
      if (run !== this.#run) return;
      this.error = toOverworldError(thrown);
    }
    this.loaded = true;
  };

  /** Sends one line to the server's console. @throws OverworldError */
  readonly send = async (line: string): Promise<void> => {
    await call('services.command', { id: this.#id, line });
  };

  #take(lines: readonly LogLine[], ended: boolean): void {
    if (this.loaded) this.lines = appendLines(this.lines, lines);
    else this.#early = appendLines(this.#early, lines);
    if (ended) this.ended = true;
  }
}
