import { preciseMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { pingPauseMs, pingSpread, type PingHistory, type PingPeriods } from '#master/core/ping-schedule.ts';
import { PingSlots } from './ping-slots.ts';
import type { ServiceRecord } from '../services/records.ts';

/** A server's answer to a status ping. */
export interface PingAnswer {
  readonly players: { readonly online: number; readonly max: number };
}

/** Sends one status ping. Resolves to null if it is not answered. Never throws. */
export type Ping = (address: PingAddress) => Promise<PingAnswer | null>;

/** Address of a service, and how to connect to it. */
export interface PingAddress {
  readonly host: string;
  readonly port: number;
  /** Whether to send a PROXY protocol header first, as the load balancer does. */
  readonly proxyProtocol: boolean;
}

/** Result of a service's latest ping. */
export interface PingState {
  /** Answer to the latest ping; null if the ping was not answered. */
  readonly answer: PingAnswer | null;
  /** When the latest ping finished (ms since epoch). */
  readonly at: number;
  /** Since when pings have not been answered (ms since epoch); null if the latest ping was answered. */
  readonly silentSince: number | null;
}

/** A service and its address. */
export interface PingTarget extends PingAddress {
  readonly id: ServiceId;
}

/** A service to ping. */
export interface PingSubject extends Pick<PingHistory, 'linked'> {
  readonly target: PingTarget;
  /** When the service's start began (ms since epoch); null if it is not starting. */
  readonly startingSince: number | null;
}

/**
 * `started`: a starting service answered for the first time. `changed`: the answer differs from the previous
 * answer.
 */
export type PingEvent = 'started' | 'changed';

interface PingerOptions {
  readonly ping: Ping;
  readonly periods: PingPeriods;
  readonly now: () => number;
}

/** Maximum age of an answer that counts as the current number of players (ms). */
const CURRENT_MS = 10_000;

/** Duration from which a ping counts as slow (ms). The next ping of the same service then uses a slow slot. */
const SLOW_MS = 1_000;

/** A service that is pinged regularly. */
interface Entry {
  subject: PingSubject;
  readonly spread: number;
  timer: NodeJS.Timeout | null;
  /**
   * When the next ping is due (ms on the monotonic clock). `pingedAt`: when the last ping finished, on the same
   * clock. `tookMs`: how long the last ping took (ms).
   */
  dueAt: number;
  pingedAt: number;
  tookMs: number;
}

/** Returns how to ping a service. Null while its address is unknown. */
export function pingTargetOf({
  id,
  address,
  placed,
}: Pick<ServiceRecord, 'id' | 'address' | 'placed'>): PingTarget | null {
  return address === null ? null : { id, ...address, proxyProtocol: placed?.given.proxyProtocol ?? false };
}

/**
 * Returns the latest answer if it is at most 10 s old, because only then its number of players is current. Otherwise
 * returns null.
 *
 * Example: an answer from 12 s ago → null.
 */
export function currentAnswer({ answer, at }: PingState, now: number): PingAnswer | null {
  return now - at <= CURRENT_MS ? answer : null;
}

/**
 * Pings services, each on its own schedule (`core/ping-schedule.ts`), in parallel with the rounds of the control
 * loop. Rounds never wait for a ping: they read the latest result of each service.
 */
export class Pinger {
  readonly #options: PingerOptions;
  readonly #entries = new Map<ServiceId, Entry>();
  readonly #states = new Map<ServiceId, PingState>();
  readonly #slots = new PingSlots();
  #listener: (event: PingEvent) => void = () => undefined;
  #closed = false;

  constructor(options: PingerOptions) {
    this.#options = options;
  }

  /**
   * Sets the listener and replaces any other. The listener is called after a ping whose answer is the service's first
   * or differs from the previous one.
   */
  onResult(listener: (event: PingEvent) => void): void {
    this.#listener = listener;
  }

  /** Pings exactly these services from now on. */
  watch(subjects: readonly PingSubject[]): void {
    if (this.#closed) return;
    const ids = new Set(subjects.map(({ target }) => target.id));
    for (const id of this.#entries.keys()) if (!ids.has(id)) this.#forget(id);
    for (const id of this.#states.keys()) if (!ids.has(id)) this.#states.delete(id);
    for (const subject of subjects) this.#watchOne(subject);
  }

  /**
   * Pings one service immediately and stores the result. This ping is not part of the service's schedule, and does
   * not count towards the limit of parallel pings. The listener is not called.
   *
   * @returns true if the service answered
   * @throws errors of `options.ping`
   */
  async pingOne({ id, ...address }: PingTarget): Promise<boolean> {
    const answer = await this.#options.ping(address);
    this.#store(id, answer);
    return answer !== null;
  }

  /**
   * Restarts the time for which a service has not answered pings: it counts from now, because the service's node was
   * unreachable until now. Does nothing if the service's latest ping was answered.
   */
  excuse(id: ServiceId): void {
    const state = this.#states.get(id);
    if (state?.answer === null) this.#states.set(id, { ...state, silentSince: this.#options.now() });
  }

  /** Returns the result of the latest ping. Null if the service was not pinged yet. */
  state(id: ServiceId): PingState | null {
    return this.#states.get(id) ?? null;
  }

  /** Reports whether the service answered its latest ping within the last 10 s. */
  answersNow(id: ServiceId): boolean {
    const state = this.state(id);
    return state !== null && currentAnswer(state, this.#options.now()) !== null;
  }

  /** Stops all pings. The result of a ping in progress is discarded. */
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

  /** Sends one ping and schedules the next. */
  async #ping(entry: Entry): Promise<void> {
    if (!this.#isWatched(entry)) return;
    const began = preciseMs();
    const { id, ...address } = entry.subject.target;
    // A ping that throws, for example for an invalid address, counts as unanswered. It must not stop the master or
    // the pings.
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
    // An earlier time may be in the future, because the clock was set back.
    const silentSince = answer === null ? Math.min(this.#states.get(id)?.silentSince ?? at, at) : null;
    this.#states.set(id, { answer, at, silentSince });
  }
}

function isSameAddress(a: PingAddress, b: PingAddress): boolean {
  return a.host === b.host && a.port === b.port && a.proxyProtocol === b.proxyProtocol;
}

function isSameAnswer(a: PingAnswer | null, b: PingAnswer | null): boolean {
  return a?.players.online === b?.players.online && a?.players.max === b?.players.max;
}
