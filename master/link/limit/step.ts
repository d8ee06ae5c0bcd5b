import type { ServiceId } from '#shared/model/service-id.ts';
import { Draft, applyEvent, withMore } from './draft.ts';
import { spread } from './spread.ts';
import { spareOf, type Allow, type AllowanceEvent, type Allowances, type Holder } from './state.ts';

/** A waiting proxy, with the free slots that are reserved for it until its whole request can be met. */
interface Unserved {
  readonly proxy: ServiceId;
  readonly since: number;
  readonly setAside: number;
}

/**
 * Applies one event and decides what to send to the proxies (demarcation protocol, Barbará & Garcia-Molina 1992;
 * docs/adr/0022). Pure: the same state and event give the same result.
 *
 * Guarantees: the sum of all allowances never grows beyond the limit, nor while it is above the limit. A waiting
 * proxy is answered once nothing more can become free. A slot that one linked proxy can spare goes to a linked
 * proxy that wants it.
 */
export function step(
  state: Allowances,
  event: AllowanceEvent,
): { state: Allowances; allow: readonly Allow[] } {
  const draft = new Draft(state);
  applyEvent(draft, event);
  if (event.kind === 'overdue') answerOverdue(draft, event);
  const unserved = serve(draft);
  recall(draft, unserved);
  for (const { proxy, since, setAside } of unserved) {
    if (!canCome(draft, proxy, since)) draft.answer(proxy, setAside);
  }
  const nobodyWaits = draft.linked.every(([, { waiting }]) => waiting.length === 0);
  if (nobodyWaits && event.kind !== 'counted' && event.kind !== 'unlinked') handOut(draft, event);
  if (nobodyWaits && (event.kind === 'tick' || event.kind === 'linked')) evenOut(draft);
  if (event.kind === 'tick') tellDown(draft);
  // The answer reports exactly what the proxy holds, even if an earlier message was lost.
  if (event.kind === 'linked') {
    const holder = draft.of(event.proxy);
    if (holder?.pending === false) draft.send(event.proxy, holder.granted);
  }
  return { state: draft.state, allow: draft.allow };
}

/** Gives free slots to waiting proxies, first come first served. None gets only a part of its request. */
function serve(draft: Draft): Unserved[] {
  const waiting = draft.linked
    // A message in transit may already contain all that the proxy wants; its answer will tell.
    .filter(([, holder]) => holder.waiting.length > 0 && !holder.pending)
    .map(([proxy, holder]) => ({ proxy, holder, since: sinceOf(holder) }))
    .sort((a, b) => a.since - b.since);
  let room = Math.max(0, draft.room);
  return waiting.flatMap(({ proxy, holder, since }) => {
    const missing = missingOf(holder);
    if (missing <= room) {
      draft.answer(proxy, missing);
      room -= missing;
      return [];
    }
    const setAside = room;
    room = 0;
    return [{ proxy, since, setAside }];
  });
}

/** Asks proxies with spare slots to return as many as are missing, so that all have equally many left. */
function recall(draft: Draft, unserved: readonly Unserved[]): void {
  const missing = unserved.reduce((all, { proxy, setAside }) => {
    const holder = draft.of(proxy);
    return all + (holder === undefined ? 0 : missingOf(holder) - setAside);
  }, 0);
  const need = missing + Math.max(0, -draft.room);
  if (need <= 0) return;
  const latest = unserved.reduce((last, { since }) => Math.max(last, since), 0);
  const givers = draft.linked
    .filter(([, { pending, waiting }]) => !pending && waiting.length === 0)
    .map(([proxy, holder]) => ({ proxy, holder, spare: spareSince(holder, latest) }));
  const total = givers.reduce((all, { spare }) => all + spare, 0) - need;
  takeDownTo(draft, Math.floor(Math.max(0, total) / draft.linked.length), givers);
}

/**
 * Distributes free slots in advance, so that joins need no round trip to the master and work while it is down.
 * Given slots count as held at once, so a proxy that hangs must not get them all: it gets one, and the rest when it
 * answers.
 *
 * @param event a message of a proxy in it proves that this proxy is alive
 */
function handOut(draft: Draft, event: AllowanceEvent): void {
  const heard = event.kind === 'linked' || event.kind === 'answered' ? event.proxy : null;
  const takers = draft.linked.filter(([, { waiting }]) => waiting.length === 0);
  const shares = spread(
    draft.room,
    takers.map(([, holder]) => spareOf(holder)),
  );
  takers.forEach(([proxy, holder], index) => {
    const share = shares[index] ?? 0;
    if (share > 0 && !holder.pending) draft.send(proxy, withMore(holder, proxy === heard ? share : 1));
  });
}

/**
 * Takes slots from proxies with many if one has less than half of an equal share. This is rare, and happens before
 * it runs out.
 */
function evenOut(draft: Draft): void {
  const all = draft.linked.map(([proxy, holder]) => ({ proxy, holder, spare: spareOf(holder) }));
  const level = Math.floor(all.reduce((sum, { spare }) => sum + spare, 0) / all.length);
  if (!all.some(({ holder, spare }) => !holder.pending && 2 * spare < level)) return;
  takeDownTo(
    draft,
    level,
    all.filter(({ holder }) => !holder.pending),
  );
}

/** Sends proxies that claim too much their real allowance. An honest one complies as its players leave. */
function tellDown(draft: Draft): void {
  for (const [proxy, { overclaims, pending, granted }] of draft.linked)
    if (overclaims && !pending) draft.send(proxy, granted);
}

interface Giver {
  readonly proxy: ServiceId;
  readonly holder: Holder;
  readonly spare: number;
}

function takeDownTo(draft: Draft, level: number, givers: readonly Giver[]): void {
  for (const { proxy, holder, spare } of givers) {
    if (spare > level) draft.send(proxy, holder.granted - (spare - level));
  }
}

/** Reports whether another linked proxy may still return slots that it has not reported as used since then. */
function canCome(draft: Draft, proxy: ServiceId, since: number): boolean {
  return draft.linked.some(
    ([other, holder]) => other !== proxy && holder.pending && spareSince(holder, since) > 0,
  );
}

function answerOverdue(draft: Draft, { proxy, id }: { proxy: ServiceId; id: number }): void {
  const holder = draft.of(proxy);
  const request = holder?.waiting.find((waiting) => waiting.id === id);
  if (holder === undefined || request === undefined) return;
  const more = Math.min(request.wanted, Math.max(0, draft.room));
  draft.send(proxy, withMore(holder, more), id);
  draft.change(proxy, { waiting: holder.waiting.filter((waiting) => waiting !== request) });
}

/** Returns the slots that waiting players still lack. */
function missingOf(holder: Holder): number {
  const wanted = holder.waiting.reduce((all, waiting) => all + waiting.wanted, 0);
  return Math.max(0, wanted - spareOf(holder));
}

/** Returns the turn after which an answer covers all waiting requests. */
function sinceOf({ waiting }: Holder): number {
  return waiting.reduce((last, { since }) => Math.max(last, since), 0);
}

/**
 * Returns what a proxy can spare for a request of that turn: by its own report if that is newer, or else the best
 * case.
 */
function spareSince(holder: Holder, since: number): number {
  return holder.heardAt > since ? spareOf(holder) : Math.max(0, holder.granted - holder.players);
}
