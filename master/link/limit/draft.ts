import type { ServiceId } from '#shared/model/service-id.ts';
import {
  chargeOf,
  NEW_HOLDER,
  freeSlots,
  type Allow,
  type AllowanceEvent,
  type Allowances,
  type Holder,
} from './state.ts';

/**
 * A modifiable copy of the allowances. One event is applied to it, and it collects the resulting messages to proxies.
 */
export class AllowanceDraft {
  readonly turn: number;
  readonly allow: Allow[] = [];
  #limit: number;
  #lost: boolean;
  #ceiling: number | null;
  readonly #holders: Map<ServiceId, Holder>;

  constructor(state: Allowances) {
    this.turn = state.turn + 1;
    this.#limit = state.limit;
    this.#lost = state.lost;
    this.#ceiling = state.ceiling;
    this.#holders = new Map(state.holders);
  }

  /** The allowances after the changes so far. */
  get state(): Allowances {
    return {
      limit: this.#limit,
      turn: this.turn,
      holders: this.#holders,
      lost: this.#lost,
      ceiling: this.#ceiling,
    };
  }

  /** Number of slots that can still be granted; see {@link freeSlots}. */
  get room(): number {
    return freeSlots({ limit: this.#limit, ceiling: this.#ceiling, holders: this.#holders });
  }

  /** The proxies whose plugins are linked. */
  get linked(): [ServiceId, Holder][] {
    return [...this.#holders].filter(([, { linked }]) => linked);
  }

  /** Returns the allowance of a proxy. Undefined if there is no such proxy. */
  of(proxy: ServiceId): Holder | undefined {
    return this.#holders.get(proxy);
  }

  /** Changes fields of a proxy's allowance. Does nothing if there is no such proxy. */
  change(proxy: ServiceId, change: Partial<Holder>): void {
    const holder = this.#holders.get(proxy);
    if (holder !== undefined) this.#holders.set(proxy, { ...holder, ...change });
  }

  /**
   * Adds a message that tells a proxy its allowance. An increase takes slots of `max_online_players` immediately. A
   * decrease frees slots only when the proxy has answered.
   *
   * @param allowance number of slots that the proxy may use
   * @param answers id of the request that the message answers; null if it answers none
   */
  send(proxy: ServiceId, allowance: number, answers: number | null = null): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined) return;
    const seq = holder.seq + 1;
    this.change(proxy, { seq, pending: true, granted: Math.max(holder.granted, allowance) });
    this.allow.push({ proxy, seq, allowance, answers });
  }

  /** Grants a proxy more slots. The messages with the new allowance answer all of its waiting requests. */
  answer(proxy: ServiceId, more: number): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined) return;
    const granted = withMore(holder, more);
    for (const { id } of holder.waiting) this.send(proxy, granted, id);
    // The waiting players probably take the new slots. But some of them may already have used slots that the proxy
    // had before. The proxy's answer will report that. Until then, no other proxy's request is refused.
    const answeredAt = more > 0 ? 0 : holder.answeredAt;
    this.change(proxy, { waiting: [], used: Math.min(granted, holder.used + more), answeredAt });
  }

  /** Sets the limit of the network, and the proxies that exist. The slots of all other proxies become free. */
  setNetwork(limit: number, proxies: readonly ServiceId[]): void {
    this.#limit = limit;
    const alive = new Set(proxies);
    for (const proxy of this.#holders.keys()) if (!alive.has(proxy)) this.#holders.delete(proxy);
    for (const proxy of alive) {
      if (!this.#holders.has(proxy)) this.#holders.set(proxy, { ...NEW_HOLDER, known: !this.#lost });
    }
    if (this.#lost) this.#ceiling = 0;
    this.#lost = false;
    this.#forgetCeiling();
  }

  /**
   * Raises the allowance of a proxy to the number of slots that the proxy reports, if the allowance is unknown. Does
   * nothing if it is known.
   */
  learn(proxy: ServiceId, slots: number): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined || holder.known) return;
    if (this.#ceiling !== null) this.#ceiling += slots;
    this.change(proxy, { known: true, granted: Math.max(holder.granted, slots) });
    this.#forgetCeiling();
  }

  #forgetCeiling(): void {
    if ([...this.#holders.values()].every(({ known }) => known)) this.#ceiling = null;
  }
}

/** Applies an event to the draft. Decides nothing about messages to proxies; the caller does that afterwards. */
export function applyEvent(draft: AllowanceDraft, event: AllowanceEvent): void {
  if (event.kind === 'network') draft.setNetwork(event.limit, event.proxies);
  else if (event.kind === 'tick') enterTick(draft);
  else {
    const holder = draft.of(event.proxy);
    if (holder !== undefined) enterOfProxy(draft, event, holder);
  }
}

/**
 * Sets the used slots of each linked proxy to its number of players. Runs once a second, because plugins do not
 * report failed joins, whose slots would otherwise stay occupied. Skips proxies with a waiting request or a message
 * in transit.
 */
function enterTick(draft: AllowanceDraft): void {
  for (const [proxy, { pending, waiting, players }] of draft.linked) {
    if (!pending && waiting.length === 0) draft.change(proxy, { used: players });
  }
}

type ProxyEvent = Extract<AllowanceEvent, { proxy: ServiceId }>;

function enterOfProxy(draft: AllowanceDraft, event: ProxyEvent, holder: Holder): void {
  const { proxy } = event;
  switch (event.kind) {
    case 'linked':
      // A reported number below the stored allowance is ignored here, because a greeting may be outdated. A reported
      // number above it counts only if the allowance is unknown.
      draft.learn(proxy, event.allowance);
      draft.change(proxy, { linked: true, pending: false, used: holder.players, answeredAt: 0, waiting: [] });
      draft.change(proxy, { overclaims: holder.known && event.allowance > holder.granted });
      break;
    case 'unlinked':
      draft.change(proxy, { linked: false, pending: false, waiting: [] });
      break;
    case 'presumed':
      draft.learn(proxy, holder.players);
      break;
    case 'counted': {
      const left = Math.max(0, holder.players - event.players);
      draft.change(proxy, { players: event.players, used: Math.max(event.players, holder.used - left) });
      break;
    }
    case 'answered':
      if (!holder.linked || event.seq !== holder.seq) break;
      draft.change(proxy, {
        // `granted` already contains every increase, so an answer can only lower it.
        granted: Math.min(event.allowance, holder.granted),
        used: Math.min(event.used, event.allowance, holder.granted),
        overclaims: event.allowance > holder.granted,
        pending: false,
        answeredAt: draft.turn,
      });
      break;
    case 'more':
      if (!holder.linked) break;
      draft.change(proxy, {
        used: holder.granted,
        waiting: [...holder.waiting, { id: event.id, wanted: event.wanted, since: draft.turn }],
      });
      break;
    case 'overdue':
      break;
  }
}

/**
 * Returns the allowance with which a proxy has `more` additional free slots. Players beyond its current allowance
 * also need slots.
 *
 * Example: granted 10 with 12 players on it, 3 more → 15.
 */
export function withMore(holder: Holder, more: number): number {
  return more > 0 ? chargeOf(holder) + more : holder.granted;
}
