import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { ownTime } from '../../view/console/console-text.ts';
import { link } from '../connection/link.svelte.ts';
import { takeConsole } from './open-consoles.ts';
import { MOST_LINES, type ConsoleLine, type ServiceConsole } from './service-console.svelte.ts';

/**
 * Maximum number of services in a merged log. A connection can follow 64 logs, and consoles of single services need
 * some of them.
 */
export const MOST_MERGED = 50;
/** Number of earlier lines to read per service. */
const FIRST_LINES = 100;
/**
 * Maximum time to wait for the first lines of all services (ms). A slow response delays the lines of the other
 * services by at most this time.
 */
const GATHER_MS = 1500;

/** Stands for the last line of a log in which all lines are new. */
const NO_LINE = { seq: -1, text: '' } as const;

interface Member {
  readonly id: ServiceId;
  /** Id of the service's process. Null if the service has none. */
  pid: number | null;
  /** Whether the log follows the service only until its last lines have arrived and are shown. */
  leaving: boolean;
  readonly log: ServiceConsole;
  readonly stop: () => void;
  /**
   * Lines of the service that have arrived, but are not shown yet. They are shown later, sorted together with the
   * first lines of the other services. Null until lines have arrived.
   */
  first: readonly ConsoleLine[] | null;
  /** The last line that was received from the service's current process. Null if no line was ever received. */
  last: Pick<ConsoleLine, 'seq' | 'text'> | null;
}

/**
 * The lines of several services in order of arrival. Lines that were written before the log was opened are sorted by
 * their own timestamps.
 */
export class MergedLog {
  lines = $state.raw<readonly ConsoleLine[]>([]);
  /** The services whose lines are shown. */
  members = $state.raw<readonly ServiceId[]>([]);
  /** Number of services that are not shown because of the maximum. */
  left = $state(0);
  #open: readonly Member[] = [];
  #nextSeq = 0;
  #gathering: ReturnType<typeof setTimeout> | null = null;
  #stopLink: (() => void) | null = null;

  /**
   * Sets the services to follow, up to the maximum. The lines of services that are no longer followed stay in the
   * log. If lines of such a service are still loading, for example after a reconnect, they are added.
   */
  readonly follow = (services: readonly { readonly id: ServiceId; readonly pid: number | null }[]): void => {
    // After a reconnect, all consoles receive the lines that were written in the meantime. These lines are collected
    // and sorted like the first ones.
    this.#stopLink ??= link.onConnected(() => this.#gatherAgain(this.#open));
    const wanted = services.slice(0, MOST_MERGED);
    this.left = services.length - wanted.length;
    const ids = wanted.map(({ id }) => id);
    for (const member of this.#open) member.leaving = !ids.includes(member.id);
    this.#stopLeaving();
    for (const { id, pid } of wanted) {
      const member = this.#find(id);
      if (member === undefined) this.#join(id, pid);
      else this.#followProcess(member, pid);
    }
    if (this.members.join() !== ids.join()) this.members = ids;
  };

  /** The errors of the shown services whose logs could not be followed, so that their lines are missing. */
  get failures(): readonly OverworldError[] {
    return this.members.flatMap((id) => this.#find(id)?.log.followError ?? []);
  }

  /** Follows the logs again that could not be followed. */
  readonly retry = (): void => {
    const failed = this.#open.filter(({ log }) => log.followError !== null);
    this.#gatherAgain(failed);
    for (const { log } of failed) void log.follow();
  };

  readonly close = (): void => {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#stopLink?.();
    this.#stopLink = null;
    for (const { stop } of this.#open) stop();
    this.#open = [];
  };

  #find(id: ServiceId): Member | undefined {
    return this.#open.find((member) => member.id === id);
  }

  #join(id: ServiceId, pid: number | null): void {
    const { log, release } = takeConsole(id);
    const stopHearing = log.onLines((lines) => this.#take(id, lines));
    const member: Member = {
      id,
      pid,
      leaving: false,
      log,
      first: null,
      last: null,
      stop: () => {
        stopHearing();
        release();
      },
    };
    this.#open = [...this.#open, member];
    // An open console may still have the lines of the service's last process.
    log.followProcess(pid);
    if (log.loaded) member.first = this.#fresh(member, log.live);
    this.#gathering ??= setTimeout(() => this.#showFirst(), GATHER_MS);
    this.#showFirstIfAll();
  }

  /**
   * Follows a process of the member's service. All lines of another process are new, even if they equal the lines of
   * the process before. After a reconnect, lines of the new process may have arrived before its id, and the log has
   * not reported the exit of the old process. Then {@link #fresh} compares the lines.
   */
  #followProcess(member: Member, pid: number | null): void {
    const isOther = pid !== null && pid !== member.pid;
    if (isOther && member.log.ended) member.last = NO_LINE;
    member.pid = pid;
    member.log.followProcess(pid);
  }

  /** Stops following the services that are leaving, if all their lines are shown. */
  #stopLeaving(): void {
    if (this.#gathering !== null) return;
    const done = this.#open.filter(({ leaving, log }) => leaving && log.loaded);
    this.#open = this.#open.filter((member) => !done.includes(member));
    for (const { stop } of done) stop();
  }

  /** Collects the next lines of members, to show them sorted together. */
  #gatherAgain(members: readonly Member[]): void {
    if (members.length === 0) return;
    // A member whose lines have arrived but are not shown yet keeps these lines.
    for (const member of members) if (member.first?.length === 0) member.first = null;
    this.#gathering ??= setTimeout(() => this.#showFirst(), GATHER_MS);
  }

  #take(id: ServiceId, lines: readonly ConsoleLine[]): void {
    const member = this.#find(id);
    if (member === undefined) return;
    const fresh = this.#fresh(member, lines);
    if (this.#gathering === null) {
      this.#append(fresh.map((line) => ({ line, id })));
      this.#stopLeaving();
      return;
    }
    member.first = [...(member.first ?? []), ...fresh];
    this.#showFirstIfAll();
  }

  /**
   * Returns the lines that were not received before. A console repeats earlier lines after a reconnect. All lines are
   * new if the log is another one, because the service was restarted. Lines do not name their process, so the log
   * counts as the same if it contains the last known line, or begins after it.
   */
  #fresh(member: Member, lines: readonly ConsoleLine[]): readonly ConsoleLine[] {
    const { last } = member;
    member.last = lines.at(-1) ?? last;
    if (last === null) return lines.slice(-FIRST_LINES);
    const repeated = lines.find(({ seq }) => seq >= last.seq);
    const isSame = repeated !== undefined && (repeated.seq > last.seq || repeated.text === last.text);
    return isSame ? lines.filter(({ seq }) => seq > last.seq) : lines;
  }

  #showFirstIfAll(): void {
    if (this.#open.every(({ first }) => first !== null)) this.#showFirst();
  }

  /**
   * Shows the collected lines, sorted by their timestamps. A line without a timestamp stays behind the line before
   * it.
   */
  #showFirst(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
    const all: { line: ConsoleLine; id: ServiceId; time: string }[] = [];
    for (const member of this.#open) {
      let time = '';
      for (const line of member.first ?? []) {
        time = ownTime(line) ?? time;
        all.push({ line, id: member.id, time });
      }
      member.first = [];
    }
    // The sort is stable: lines of the same second keep their order.
    this.#append(all.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)));
    this.#stopLeaving();
  }

  #append(lines: readonly { readonly line: ConsoleLine; readonly id: ServiceId }[]): void {
    if (lines.length === 0) return;
    const fresh = lines.map(({ line, id }) => ({ ...line, seq: this.#nextSeq++, from: id }));
    this.lines = [...this.lines, ...fresh].slice(-MOST_LINES);
  }
}
