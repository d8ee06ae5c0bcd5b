import { preciseMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { pingPauseMs, pingSpread, type PingHistory, type PingPeriods } from '#master/core/ping-schedule.ts';
import { PingSlots } from './ping-slots.ts';
import type { ServiceRecord } from '../services/records.ts';

/** What a server said of itself. */
export interface PingAnswer {
  readonly players: { readonly online: number; readonly max: number };
}

/** One status ping; null when it was not answered. Never throws. */
export type Ping = (address: PingAddress) => Promise<PingAnswer | null>;

/** Where a service listens, and how. */
export interface PingAddress {
  readonly host: string;
  readonly port: number;
  /** A PROXY protocol header comes first, as from the load balancer. */
  readonly proxyProtocol: boolean;
}

/** What the last ping of a service brought. */
export interface PingState {
  /** Of the newest ping; null when it was not answered. */
  readonly answer: PingAnswer | null;
  /** When the newest ping ended. */
  readonly at: number;
  /** Since when none was answered; null while they are. */
  readonly silentSince: number | null;
}

/** A service and where it listens. */
export interface PingTarget extends PingAddress {
  readonly id: ServiceId;
}

/** A service to ping from now on. */
export interface PingSubject extends Pick<PingHistory, 'linked'> {
  readonly target: PingTarget;
  /** When its start began; null when it does not start. */
  readonly startingSince: number | null;
}

/** What the pinger reports of a service: its first answer while it starts, or another answer than before. */
export type PingNews = 'started' | 'changed';

interface PingerOptions {
  readonly ping: Ping;
  readonly periods: PingPeriods;
  readonly now: () => number;
}

/** Answers older than this say nothing of who is on a service now, ms. */
const CURRENT_MS = 10_000;

/** A ping that took at least this long wastes its slot, ms: the next one of that service takes one of the few for such. */
const SLOW_MS = 1_000;

/** One service that is pinged. */
interface Entry {
  subject: PingSubject;
  readonly spread: number;
  timer: NodeJS.Timeout | null;
  /** When its timer fires; on the monotonic clock, as the next two. */
  dueAt: number;
  pingedAt: number;
  tookMs: number;
}

/** How a service is pinged; null while nobody knows where it listens. */
export function pingTargetOf({
  id,
  address,
  placed,
}: Pick<ServiceRecord, 'id' | 'address' | 'placed'>): PingTarget | null {
  return address === null ? null : { id, ...address, proxyProtocol: placed?.given.proxyProtocol ?? false };
}

/** The newest answer as long as it still says who is on the service; else null. */
export function currentAnswer({ answer, at }: PingState, now: number): PingAnswer | null {
  return now - at <= CURRENT_MS ? answer : null;
}

/**
 * Pings services beside the rounds, each at its own time (`core/ping-schedule.ts`). Nobody waits for a ping: a round
 * reads the newest state of each service.
 */
export class Pinger {
  readonly #options: PingerOptions;
  readonly #entries = new Map<ServiceId, Entry>();
  readonly #states = new Map<ServiceId, PingState>();
  readonly #slots = new PingSlots();
  #listener: (news: PingNews) => void = () => undefined;
  #closed = false;

  constructor(options: PingerOptions) {
    this.#options = options;
  }

  /** Calls the listener, which replaces any other, after each ping that brought news. */
  onNews(listener: (news: PingNews) => void): void {
    this.#listener = listener;
  }

  /** Pings these services from now on, and forgets all others. */
  watch(subjects: readonly PingSubject[]): void {
    if (this.#closed) return;
    const ids = new Set(subjects.map(({ target }) => target.id));
    for (const id of this.#entries.keys()) if (!ids.has(id)) this.#forget(id);
    for (const id of this.#states.keys()) if (!ids.has(id)) this.#states.delete(id);
    for (const subject of subjects) this.#watchOne(subject);
  }

  /** Pings one service now. @returns true when it answered */
  async pingOne({ id, ...address }: PingTarget): Promise<boolean> {
    const answer = await this.#options.ping(address);
    this.#store(id, answer);
    return answer !== null;
  }

  /** Counts its silence from now on: until now nobody could have heard it. */
  excuse(id: ServiceId): void {
    const state = this.#states.get(id);
    if (state?.answer === null) this.#states.set(id, { ...state, silentSince: this.#options.now() });
  }

  /** Null when it was not pinged yet. */
  state(id: ServiceId): PingState | null {
    return this.#states.get(id) ?? null;
  }

  /** Whether it answered its newest ping, not long ago. */
  answersNow(id: ServiceId): boolean {
    const state = this.state(id);
    return state !== null && currentAnswer(state, this.#options.now()) !== null;
  }

  /** Ends all pinging; what a ping under way brings is dropped. */
  close(): void {
    this.#closed = true;
    for (const id of this.#entries.keys()) this.#forget(id);
  }

  #watchOne(subject: PingSubject): void {
    const { id } = subject.target;
    const known = this.#entries.get(id);
    if (known !== undefined && isSameAddress(known.subject.target, subject.target)) {
      known.subject = subject;
      if (known.timer !== null && known.pingedAt + this.#pauseMs(known) < known.dueAt) this.#wait(known);
      return;
    }
    if (known !== undefined) {
      this.#forget(id);
      this.#states.delete(id);
    }
    const spread = pingSpread(id);
    const entry = { subject, spread, timer: null, dueAt: 0, pingedAt: preciseMs(), tookMs: 0 };
    this.#entries.set(id, entry);
    this.#wait(entry);
  }

  #forget(id: ServiceId): void {
    const timer = this.#entries.get(id)?.timer ?? null;
    if (timer !== null) clearTimeout(timer);
    this.#entries.delete(id);
  }

  #isWatched(entry: Entry): boolean {
    return this.#entries.get(entry.subject.target.id) === entry;
  }

  #pauseMs({ subject, spread }: Entry): number {
    const { now, periods } = this.#options;
    const { startingSince, linked, target } = subject;
    const state = this.state(target.id);
    const startingForMs = startingSince === null ? null : now() - startingSince;
    return pingPauseMs({ startingForMs, linked, spread, answered: state && state.answer !== null }, periods);
  }

  #wait(entry: Entry): void {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.dueAt = entry.pingedAt + this.#pauseMs(entry);
    const waitMs = Math.max(0, entry.dueAt - preciseMs());
    entry.timer = setTimeout(() => {
      entry.timer = null;
      this.#slots.run(entry.tookMs >= SLOW_MS ? 'slow' : 'quick', () => this.#ping(entry));
    }, waitMs);
  }

  /** Pings once, and waits for the next time. */
  async #ping(entry: Entry): Promise<void> {
    if (!this.#isWatched(entry)) return;
    const began = preciseMs();
    const { id, ...address } = entry.subject.target;
    // One that fails, as to an address that cannot be, is not answered; it must end neither this master nor the pings.
    const answer = await this.#options.ping(address).catch(() => null);
    if (!this.#isWatched(entry)) return;
    entry.pingedAt = preciseMs();
    entry.tookMs = entry.pingedAt - began;
    const before = this.state(id)?.answer ?? null;
    this.#store(id, answer);
    this.#wait(entry);
    if (answer !== null && before === null && entry.subject.startingSince !== null) this.#listener('started');
    else if (!isSameAnswer(before, answer)) this.#listener('changed');
  }

  #store(id: ServiceId, answer: PingAnswer | null): void {
    const at = this.#options.now();
    const silentSince = answer === null ? (this.#states.get(id)?.silentSince ?? at) : null;
    this.#states.set(id, { answer, at, silentSince });
  }
}

function isSameAddress(a: PingAddress, b: PingAddress): boolean {
  return a.host === b.host && a.port === b.port && a.proxyProtocol === b.proxyProtocol;
}

function isSameAnswer(a: PingAnswer | null, b: PingAnswer | null): boolean {
  return a?.players.online === b?.players.online && a?.players.max === b?.players.max;
}
