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

/** The allowances while one event is applied to them, and the resulting messages to proxies. */
export class Draft {
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

  get state(): Allowances {
    return {
      limit: this.#limit,
      turn: this.turn,
      holders: this.#holders,
      lost: this.#lost,
      ceiling: this.#ceiling,
    };
  }

  get room(): number {
    return freeSlots({ limit: this.#limit, ceiling: this.#ceiling, holders: this.#holders });
  }

  get linked(): [ServiceId, Holder][] {
    return [...this.#holders].filter(([, { linked }]) => linked);
  }

  of(proxy: ServiceId): Holder | undefined {
    return this.#holders.get(proxy);
  }

  change(proxy: ServiceId, change: Partial<Holder>): void {
    const holder = this.#holders.get(proxy);
    if (holder !== undefined) this.#holders.set(proxy, { ...holder, ...change });
  }

  /**
   * Sends a proxy its allowance. An increase counts from now on, a decrease once the proxy has answered.
   *
   * @param allowance slots
   * @param answers the id of the request that this answers
   */
  send(proxy: ServiceId, allowance: number, answers: number | null = null): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined) return;
    const seq = holder.seq + 1;
    this.change(proxy, { seq, pending: true, granted: Math.max(holder.granted, allowance) });
    this.allow.push({ proxy, seq, allowance, answers });
  }

  /** Gives a proxy more slots, and answers all of its requests with them. */
  answer(proxy: ServiceId, more: number): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined) return;
    const granted = withMore(holder, more);
    for (const { id } of holder.waiting) this.send(proxy, granted, id);
    // The waiting players probably take the new slots, but some may already have used earlier ones. The proxy's
    // answer will tell; until then no other request is refused.
    const heardAt = more > 0 ? 0 : holder.heardAt;
    this.change(proxy, { waiting: [], used: Math.min(granted, holder.used + more), heardAt });
  }

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

  /** Accepts a proxy's own report, because its allowance is unknown. */
  learn(proxy: ServiceId, overrides: number): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined || holder.known) return;
    if (this.#ceiling !== null) this.#ceiling += overrides;
    this.change(proxy, { known: true, granted: Math.max(holder.granted, overrides) });
    this.#forgetCeiling();
  }

  #forgetCeiling(): void {
    if ([...this.#holders.values()].every(({ known }) => known)) this.#ceiling = null;
  }
}

/** Applies an event, before any decision. */
export function applyEvent(draft: Draft, event: AllowanceEvent): void {
  if (event.kind === 'network') draft.setNetwork(event.limit, event.proxies);
  else if (event.kind === 'tick') enterTick(draft);
  else {
    const holder = draft.of(event.proxy);
    if (holder !== undefined) enterOfProxy(draft, event, holder);
  }
}

/** Recounts used slots from the players, once a second, as failed joins are not reported. */
function enterTick(draft: Draft): void {
  for (const [proxy, { pending, waiting, players }] of draft.linked) {
    if (!pending && waiting.length === 0) draft.change(proxy, { used: players });
  }
}

type ProxyEvent = Extract<AllowanceEvent, { proxy: ServiceId }>;

function enterOfProxy(draft: Draft, event: ProxyEvent, holder: Holder): void {
  const { proxy } = event;
  switch (event.kind) {
    case 'linked':
      // Neither less than the stored allowance, as a greeting may be out of date (an answer never is), nor more if
      // it is known.
      draft.learn(proxy, event.allowance);
      draft.change(proxy, { linked: true, pending: false, used: holder.players, heardAt: 0, waiting: [] });
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
        // `granted` contains everything that was sent since the last answer, so an answer never raises it.
        granted: Math.min(event.allowance, holder.granted),
        used: Math.min(event.used, event.allowance, holder.granted),
        overclaims: event.allowance > holder.granted,
        pending: false,
        heardAt: draft.turn,
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
 * Returns the allowance that gives a proxy this many more free slots. Players beyond its current allowance use
 * slots first.
 *
 * Example: granted 10 with 12 players on it, 3 more → 15.
 */
export function withMore(holder: Holder, more: number): number {
  return more > 0 ? chargeOf(holder) + more : holder.granted;
}
