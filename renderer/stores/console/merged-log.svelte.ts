import type { ServiceId } from '#shared/model/service.ts';
import { ownTime } from '../../view/console/console-text.ts';
import { link } from '../connection/link.svelte.ts';
import { takeConsole } from './open-consoles.ts';
import { MOST_LINES, type ConsoleLine, type ServiceConsole } from './service-console.svelte.ts';

/** Services whose lines stand together: the master follows 64 logs for one connection, and single consoles need some. */
export const MOST_MERGED = 50;
/** Lines of each service from before it was opened. */
const FIRST_LINES = 100;
/** First lines of all services are waited for this long, ms: one that does not answer must not hold the others back. */
const GATHER_MS = 1500;

interface Member {
  readonly id: ServiceId;
  readonly log: ServiceConsole;
  readonly stop: () => void;
  /** Lines that are gathered from all before they are shown; null: this one's are still on their way. */
  first: readonly ConsoleLine[] | null;
  /** Number of the last line that was taken; -1: none. */
  last: number;
}

/** The lines of several services in one view, as they come; those from before in the order of their own times. */
export class MergedLog {
  lines = $state.raw<readonly ConsoleLine[]>([]);
  /** Services whose lines are here. */
  members = $state.raw<readonly ServiceId[]>([]);
  /** Services that there was no room for. */
  left = $state(0);
  #open: readonly Member[] = [];
  #nextSeq = 0;
  #gathering: ReturnType<typeof setTimeout> | null = null;
  #stopLink: (() => void) | null = null;

  /** Follows these from now on, as many as there is room for; those that are gone stay in what was said. */
  readonly follow = (services: readonly { readonly id: ServiceId; readonly pid: number | null }[]): void => {
    // What was said while there was no connection comes with the consoles' next answers, from all at about the same time.
    this.#stopLink ??= link.onConnected(() => this.#gatherAgain());
    const wanted = services.slice(0, MOST_MERGED);
    this.left = services.length - wanted.length;
    const ids = wanted.map(({ id }) => id);
    const known = this.#open;
    this.#open = known.filter(({ id }) => ids.includes(id));
    for (const member of known) if (!this.#open.includes(member)) member.stop();
    for (const { id, pid } of wanted) {
      const member = this.#find(id);
      if (member === undefined) this.#join(id, pid);
      else member.log.followProcess(pid);
    }
    if (this.members.join() !== ids.join()) this.members = ids;
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
      log,
      first: null,
      last: -1,
      stop: () => {
        stopHearing();
        release();
      },
    };
    this.#open = [...this.#open, member];
    if (log.loaded) member.first = this.#fresh(member, log.live);
    else log.followProcess(pid);
    this.#gathering ??= setTimeout(() => this.#showFirst(), GATHER_MS);
    this.#showFirstIfAll();
  }

  #gatherAgain(): void {
    if (this.#open.length === 0) return;
    // Lines that wait to be shown already are kept.
    for (const member of this.#open) if (member.first?.length === 0) member.first = null;
    this.#gathering ??= setTimeout(() => this.#showFirst(), GATHER_MS);
  }

  #take(id: ServiceId, lines: readonly ConsoleLine[]): void {
    const member = this.#find(id);
    if (member === undefined) return;
    const fresh = this.#fresh(member, lines);
    if (this.#gathering === null) {
      this.#append(fresh.map((line) => ({ line, id })));
      return;
    }
    member.first = [...(member.first ?? []), ...fresh];
    this.#showFirstIfAll();
  }

  /**
   * Those that were not taken before. A console that follows anew, after a break of the connection, tells again what it told;
   * a smaller number at the end than before means a new log, as of a service that was started anew.
   */
  #fresh(member: Member, lines: readonly ConsoleLine[]): readonly ConsoleLine[] {
    const end = lines.at(-1)?.seq ?? member.last;
    const known = end < member.last ? -1 : member.last;
    const isFirst = member.last === -1;
    member.last = end;
    const fresh = lines.filter(({ seq }) => seq > known);
    return isFirst ? fresh.slice(-FIRST_LINES) : fresh;
  }

  #showFirstIfAll(): void {
    if (this.#open.every(({ first }) => first !== null)) this.#showFirst();
  }

  /** Lines from before have only the times they tell themselves; one that tells none belongs to the one before it. */
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
    // Stable: lines of one second stay in their own order.
    this.#append(all.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)));
  }

  #append(lines: readonly { readonly line: ConsoleLine; readonly id: ServiceId }[]): void {
    if (lines.length === 0) return;
    const fresh = lines.map(({ line, id }) => ({ ...line, seq: this.#nextSeq++, from: id }));
    this.lines = [...this.lines, ...fresh].slice(-MOST_LINES);
  }
}
