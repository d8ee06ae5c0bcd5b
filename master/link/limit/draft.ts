import type { ServiceId } from '#shared/model/service-id.ts';
import {
  chargeOf,
  NEW_HOLDER,
  roomOf,
  type Allow,
  type AllowanceEvent,
  type Allowances,
  type Holder,
} from './state.ts';

/** The book while one event is entered into it, and what proxies are told because of it. */
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
    return roomOf({ limit: this.#limit, ceiling: this.#ceiling, holders: this.#holders });
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
   * Tells a proxy what it may hold. More than before counts from this moment on, less once it has answered.
   *
   * @param allowance slots; @param answers the request that this answers
   */
  tell(proxy: ServiceId, allowance: number, answers: number | null = null): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined) return;
    const seq = holder.seq + 1;
    this.change(proxy, { seq, pending: true, granted: Math.max(holder.granted, allowance) });
    this.allow.push({ proxy, seq, allowance, answers });
  }

  /** Gives a proxy so many slots more, and with them the answer to all that it waits for. */
  answer(proxy: ServiceId, more: number): void {
    const holder = this.#holders.get(proxy);
    if (holder === undefined) return;
    const granted = withMore(holder, more);
    for (const { id } of holder.waiting) this.tell(proxy, granted, id);
    // Who waits there takes what has come: most likely, as some may have gone in by what came before. Its answer tells, and
    // others who wait are not refused before that.
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

  /** What it holds was not known: its word counts. */
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

/** Enters what has happened, before anything is decided. */
export function enter(draft: Draft, event: AllowanceEvent): void {
  if (event.kind === 'network') draft.setNetwork(event.limit, event.proxies);
  else if (event.kind === 'tick') enterTick(draft);
  else {
    const holder = draft.of(event.proxy);
    if (holder !== undefined) enterOfProxy(draft, event, holder);
  }
}

/** Joins that failed are told to nobody: once a second what is taken is counted anew, by the players alone. */
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
      // Not less than the book says: a greeting may be older than it looks, an answer is not. Nor more, where the book knows.
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
        // What it was told since its last answer is in `granted`: an answer never raises that.
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

/** What a proxy is to hold to have so many free slots more: players who came beyond its allowance have theirs first. */
export function withMore(holder: Holder, more: number): number {
  return more > 0 ? chargeOf(holder) + more : holder.granted;
}
