import {
  openAllowances,
  toKept,
  type Allow,
  type AllowanceEvent,
  type Allowances,
  type StoredAllowances,
} from '#master/link/limit/state.ts';
import { decideAllowances } from '#master/link/limit/decide-allowances.ts';

/** Actual state of a proxy, independent of the master's records. */
export interface WorldProxy {
  readonly id: string;
  held: number;
  /** Number of online players who were admitted within the limit. */
  ruled: number;
  /** Number of online players whom another plugin admitted although the limit was reached. */
  beyond: number;
  /** Number of players who were admitted within the limit and are still logging in. */
  logging: number;
  /** For each pending request for more slots, by its ID: number of players who wait for the response. */
  readonly waiting: Map<number, number>;
  admitted: number;
  refused: number;
  link: WorldLink | null;
}

interface WorldLink {
  readonly toMaster: AllowanceEvent[];
  readonly toProxy: Allow[];
}

/**
 * Simulates a master, its proxies, and messages between them that can be late or lost. The plugins' rule is: a proxy
 * admits a player while it has fewer players than slots. The simulation shows whether this rule agrees with the
 * master's records.
 */
export class SlotWorld {
  book: Allowances = openAllowances(new Map());
  readonly proxies = new Map<string, WorldProxy>();
  limit: number;
  #disk: StoredAllowances = new Map();
  #born = 0;
  #requests = 0;

  constructor(limit: number) {
    this.limit = limit;
    this.announceNetwork();
  }

  get all(): WorldProxy[] {
    return [...this.proxies.values()];
  }

  /** Number of slots that all proxies together actually have. */
  get held(): number {
    return this.all.reduce((sum, { held }) => sum + held, 0);
  }

  /** Number of slots that all proxies together have according to the master's records. */
  get granted(): number {
    return [...this.book.holders.values()].reduce((sum, { granted }) => sum + granted, 0);
  }

  take(event: AllowanceEvent): void {
    const { state, allow } = decideAllowances(this.book, event);
    this.book = state;
    // As in the master, store the state on disk before messages are sent, and every second.
    if (allow.length > 0 || event.kind === 'tick') this.#disk = toKept(state);
    for (const message of allow) this.proxies.get(message.proxy)?.link?.toProxy.push(message);
  }

  announceNetwork(): void {
    this.take({ kind: 'network', limit: this.limit, proxies: [...this.proxies.keys()] });
  }

  bear(): void {
    this.#born += 1;
    const id = `proxy-${this.#born}`;
    const none = { held: 0, ruled: 0, beyond: 0, logging: 0, admitted: 0, refused: 0 };
    this.proxies.set(id, { id, ...none, waiting: new Map(), link: null });
    this.announceNetwork();
  }

  die(proxy: WorldProxy): void {
    this.proxies.delete(proxy.id);
    if (proxy.link !== null) this.take({ kind: 'unlinked', proxy: proxy.id });
  }

  connect(proxy: WorldProxy): void {
    if (proxy.link !== null) this.cut(proxy);
    proxy.link = { toMaster: [{ kind: 'linked', proxy: proxy.id, allowance: proxy.held }], toProxy: [] };
    this.#report(proxy, { kind: 'counted', proxy: proxy.id, players: playersOn(proxy) });
  }

  /** Closes a proxy's connection. Messages in transit are lost, and waiting players are refused. */
  cut(proxy: WorldProxy): void {
    if (proxy.link === null) return;
    proxy.link = null;
    for (const count of proxy.waiting.values()) proxy.refused += count;
    proxy.waiting.clear();
    this.take({ kind: 'unlinked', proxy: proxy.id });
  }

  /** Delivers the greeting of an earlier connection late, and then the close of this connection. */
  lateGreeting(proxy: WorldProxy, allowance: number): void {
    // This case can happen only if this master has already granted slots to the proxy, and therefore knows their
    // number.
    if (this.book.holders.get(proxy.id)?.known !== true) return;
    this.cut(proxy);
    this.take({ kind: 'linked', proxy: proxy.id, allowance: Math.min(allowance, proxy.held) });
    this.take({ kind: 'unlinked', proxy: proxy.id });
  }

  restartMaster(keepsState: boolean): void {
    for (const proxy of this.all) this.cut(proxy);
    this.book = openAllowances(keepsState ? this.#disk : null);
    this.announceNetwork();
  }

  login(proxy: WorldProxy): void {
    if (takenOf(proxy) < proxy.held) this.#letIn(proxy);
    else if (proxy.link === null) proxy.refused += 1;
    else {
      this.#requests += 1;
      proxy.waiting.set(this.#requests, 1);
      this.#report(proxy, { kind: 'more', proxy: proxy.id, id: this.#requests, wanted: 1 });
    }
  }

  loginBeyond(proxy: WorldProxy): void {
    proxy.beyond += 1;
    this.#reportCount(proxy);
  }

  loginEnds(proxy: WorldProxy, joins: boolean): void {
    if (proxy.logging === 0) return;
    proxy.logging -= 1;
    if (joins) proxy.ruled += 1;
    if (joins) this.#reportCount(proxy);
    this.#letInWaiting(proxy);
  }

  leave(proxy: WorldProxy, wasBeyond: boolean): void {
    if (wasBeyond && proxy.beyond > 0) proxy.beyond -= 1;
    else if (proxy.ruled > 0) proxy.ruled -= 1;
    else return;
    this.#reportCount(proxy);
    this.#letInWaiting(proxy);
  }

  /**
   * Delivers the next message from a proxy to the master.
   *
   * @returns whether there was a message
   */
  deliverToMaster(proxy: WorldProxy): boolean {
    const event = proxy.link?.toMaster.shift();
    if (event !== undefined) this.take(event);
    return event !== undefined;
  }

  /**
   * Delivers the next message from the master to a proxy.
   *
   * @returns whether there was a message
   */
  deliverToProxy(proxy: WorldProxy): boolean {
    const message = proxy.link?.toProxy.shift();
    if (message === undefined) return false;
    const before = proxy.held;
    proxy.held =
      message.allowance >= before
        ? message.allowance
        : Math.min(before, Math.max(message.allowance, takenOf(proxy)));
    this.#letInWaiting(proxy);
    if (message.answers !== null) {
      proxy.refused += proxy.waiting.get(message.answers) ?? 0;
      proxy.waiting.delete(message.answers);
    }
    const { held: allowance, id } = proxy;
    this.#report(proxy, { kind: 'answered', proxy: id, seq: message.seq, allowance, used: takenOf(proxy) });
    return true;
  }

  /**
   * Delivers all messages in transit, and all messages that result from them.
   *
   * @returns the number of messages
   */
  settle(most = 10_000): number {
    for (let count = 0; count < most; count++) {
      const moved = this.all.some((proxy) => this.deliverToMaster(proxy) || this.deliverToProxy(proxy));
      if (!moved) return count;
    }
    throw new Error(`still talking after ${most} messages`);
  }

  #letIn(proxy: WorldProxy): void {
    proxy.logging += 1;
    proxy.admitted += 1;
  }

  #letInWaiting(proxy: WorldProxy): void {
    for (const id of [...proxy.waiting.keys()]) {
      if (takenOf(proxy) >= proxy.held) return;
      // The master still responds to the request, because it does not know that the players were admitted.
      proxy.waiting.delete(id);
      this.#letIn(proxy);
    }
  }

  #reportCount(proxy: WorldProxy): void {
    this.#report(proxy, { kind: 'counted', proxy: proxy.id, players: playersOn(proxy) });
  }

  #report(proxy: WorldProxy, event: AllowanceEvent): void {
    proxy.link?.toMaster.push(event);
  }
}

/** Returns the number of used slots, which is the number of players who are online or logging in. */
export function takenOf({ ruled, beyond, logging }: WorldProxy): number {
  return ruled + beyond + logging;
}

function playersOn({ ruled, beyond }: WorldProxy): number {
  return ruled + beyond;
}
