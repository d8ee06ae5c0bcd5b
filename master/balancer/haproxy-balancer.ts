import { isDeepStrictEqual } from 'node:util';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { BalancerView } from '#shared/model/player-entry.ts';
import { memoize } from '#shared/node/memoize.ts';
import { within } from '#shared/node/within.ts';
import { serialQueue } from '#master/store/serial.ts';
import { adoptConfig, removeSection } from './adopt.ts';
import type { Balancer, WantedEntry } from './balancer.ts';
import { PLAYERS_PORT } from './config/frontend-and-backend.ts';
import { CheckMemory } from './haproxy/check-memory.ts';
import { findProgram } from './haproxy/program.ts';
import { runPass, type BalancerSettings, type Pass, type PassResult } from './pass.ts';
import { ReloadPace } from './reload-pace.ts';
import { closeNow } from './runtime-pass.ts';

export interface HaproxyOptions {
  /** Returns the current settings. Called before each check. */
  readonly settings: () => BalancerSettings;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /**
   * Returns the number of players on a proxy, as the proxy reports it. Called with each check; 0 if the option is
   * missing.
   */
  readonly playersOn?: (id: ServiceId) => number;
  /** Port of Overworld's frontend; default {@link PLAYERS_PORT}. */
  readonly playersPort?: number;
  /**
   * Maximum time between two checks (ms); default 2 s. Checks are regular because HAProxy may be restarted, and its
   * file edited, at any time.
   */
  readonly checkMs?: number;
  /** Finds the HAProxy executable. By default, it searches PATH and the usual folders. */
  readonly findProgram?: () => Promise<string | null>;
}

const CHECK_MS = 2_000;
/** Interval of the checks while a caller waits for a proxy to be closed (ms). */
const CHECK_AGAIN_MS = 100;
/**
 * Maximum time to wait for a regular check to close a proxy, before the proxy is closed directly (ms). A check
 * usually takes 50 ms.
 */
const HEAD_START_MS = 500;
/** Time after which the HAProxy executable is searched for again (ms). */
const PROGRAM_BELIEVED_MS = 10_000;

/**
 * Opens the balancer and checks HAProxy once, so that the balancer's state is correct from the start. If HAProxy is
 * missing, or has no section of Overworld, this is a normal state and not an error.
 */
export async function openHaproxyBalancer(options: HaproxyOptions): Promise<Balancer> {
  const balancer = new HaproxyBalancer(options);
  await balancer.check();
  return balancer;
}

class HaproxyBalancer implements Balancer {
  readonly #options: HaproxyOptions;
  readonly #serialize = serialQueue();
  readonly #listeners = new Set<() => void>();
  readonly #checks = new CheckMemory();
  readonly #pace = new ReloadPace();
  readonly #findProgram: () => Promise<string | null>;
  #wanted: readonly WantedEntry[] = [];
  #settings: BalancerSettings | null = null;
  /** Whether `want` has been called. Before the first call, nothing is changed. */
  #hasWanted = false;
  #last: PassResult | null = null;
  /**
   * The next check, if it is requested but has not begun; otherwise null. It will apply the entries that are desired
   * when it begins.
   */
  #next: Promise<PassResult> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: HaproxyOptions) {
    this.#options = options;
    this.#findProgram = options.findProgram ?? memoize(() => findProgram(), PROGRAM_BELIEVED_MS);
  }

  get view(): BalancerView {
    const { configPath } = this.#options.settings();
    return this.#last?.view ?? { state: 'absent', configPath, addresses: [], entries: [], error: null };
  }

  get sendsProxyProtocol(): boolean {
    return this.#last?.sendsProxyProtocol ?? false;
  }

  want(entries: readonly WantedEntry[]): void {
    const isSame = this.#hasWanted && isDeepStrictEqual(entries, this.#wanted);
    if (isSame && isDeepStrictEqual(this.#options.settings(), this.#settings)) return;
    this.#wanted = [...entries];
    this.#hasWanted = true;
    this.#checkSoon();
  }

  async closed(id: ServiceId, timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    // A regular check is preferred, because it opens other entries before it closes this one. If it takes long,
    // because HAProxy checks a large file, the entry is closed directly.
    if (await this.#isSeenClosed(id, monotonicMs() + Math.min(HEAD_START_MS, timeoutMs / 2))) return;
    if (await this.#closeNow(id, deadline - monotonicMs())) return;
    await this.#isSeenClosed(id, deadline);
  }

  /**
   * Waits until a check shows that the entry is closed.
   *
   * @returns false if that does not happen before the deadline
   */
  async #isSeenClosed(id: ServiceId, deadline: number): Promise<boolean> {
    while (!this.#isClosed && monotonicMs() < deadline) {
      const result = await within(this.check(), deadline - monotonicMs());
      if (result === null) return false;
      const { view, seen } = result;
      if (view.state === 'absent' || view.state === 'foreign') return true;
      if (seen !== null && seen.servers.find(({ name }) => name === id)?.isClosed !== false) return true;
      await within(new Promise(() => undefined), Math.min(CHECK_AGAIN_MS, deadline - monotonicMs()));
    }
    return this.#isClosed;
  }

  async #closeNow(id: ServiceId, timeoutMs: number): Promise<boolean> {
    const at = this.#last?.at ?? null;
    const isWantedOpen = this.#wanted.some((entry) => entry.id === id && entry.open);
    if (at === null || !this.#hasWanted || isWantedOpen) return false;
    return (await within(closeNow(at, id), timeoutMs)) ?? false;
  }

  adopt(): Promise<BalancerView> {
    return this.#order(adoptConfig);
  }

  remove(): Promise<BalancerView> {
    return this.#order(removeSection);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#serialize(() => Promise.resolve());
  }

  /**
   * Runs a check, after the check in progress if there is one. All calls before the new check begins share this
   * check.
   */
  check(): Promise<PassResult> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#next ??= this.#serialize(() => {
      this.#next = null;
      return this.#runCheck(runPass);
    }).finally(() => this.#checkLater());
    return this.#next;
  }

  #checkSoon(): void {
    if (this.#isClosed) return;
    this.check().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the load balancer could not be inspected');
    });
  }

  #checkLater(): void {
    if (this.#isClosed || this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#checkSoon(), this.#options.checkMs ?? CHECK_MS);
    this.#timer.unref();
  }

  async #order(work: (pass: Pass) => Promise<PassResult>): Promise<BalancerView> {
    this.#pace.reset();
    const { view } = await this.#serialize(() => this.#runCheck(work));
    return view;
  }

  async #runCheck(work: (pass: Pass) => Promise<PassResult>): Promise<PassResult> {
    const before = this.#last;
    const wanted = this.#wanted;
    const settings = this.#options.settings();
    this.#settings = settings;
    const result = await work({
      settings,
      wanted: this.#hasWanted ? wanted : null,
      playersOn: this.#options.playersOn ?? (() => 0),
      playersPort: this.#options.playersPort ?? PLAYERS_PORT,
      mayInsert: false,
      checks: this.#checks,
      pace: this.#pace,
      findProgram: this.#findProgram,
      isStale: () => this.#wanted !== wanted,
    });
    this.#last = result;
    if (before === null || !isDeepStrictEqual(before.view, result.view)) this.#notify(before, result);
    return result;
  }

  #notify(before: PassResult | null, { view, refused }: PassResult): void {
    const { log } = this.#options;
    if (refused.length > 0) log.warn({ refused }, 'HAProxy rejected commands');
    if (before?.view.error?.message !== view.error?.message) {
      const details = { state: view.state, configPath: view.configPath };
      if (view.error === null) log.info(details, 'the load balancer is up to date');
      else log.warn({ ...details, code: view.error.code }, view.error.message);
    }
    for (const listener of this.#listeners) listener();
  }
}
