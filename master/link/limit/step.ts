import type { ServiceId } from '#shared/model/service-id.ts';
import { Draft, enter, withMore } from './draft.ts';
import { spread } from './spread.ts';
import { spareOf, type Allow, type AllowanceEvent, type Allowances, type Holder } from './state.ts';

/** A proxy that waits, with the free slots that are set aside for it until it has all it wants. */
interface Unserved {
  readonly proxy: ServiceId;
  readonly since: number;
  readonly setAside: number;
}

/**
 * Enters one event into the book and decides what proxies are told (demarcation protocol, Barbará & Garcia-Molina 1992;
 * docs/adr/0022). Pure: the same book and event give the same.
 *
 * Promises: what all may hold never grows while it is more than the limit, and never beyond the limit; who waits is
 * answered once nothing more can come; a slot that a linked proxy can spare is had by a linked proxy that wants it.
 */
export function step(
  state: Allowances,
  event: AllowanceEvent,
): { state: Allowances; allow: readonly Allow[] } {
  const draft = new Draft(state);
  enter(draft, event);
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
  // Its answer tells exactly what it holds, and whether an earlier word was lost on the way.
  if (event.kind === 'linked') {
    const holder = draft.of(event.proxy);
    if (holder?.pending === false) draft.tell(event.proxy, holder.granted);
  }
  return { state: draft.state, allow: draft.allow };
}

/** Gives what is free to those who wait, first come first served; none gets a part of what it wants. */
function serve(draft: Draft): Unserved[] {
  const waiting = draft.linked
    // What is on its way to a proxy may be all it wants: its answer tells.
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

/** Asks those who can spare to give back: as much as is missing, and so that all can spare equally much afterwards. */
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
 * Hands out what nobody holds, so that joins need no way to the master, and go on while it is away. What is given counts as
 * held from then on, so a proxy that hangs must not get it: one slot is given unasked, and the rest upon its answer.
 *
 * @param event a proxy that has said something in it is there
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
    if (share > 0 && !holder.pending) draft.tell(proxy, withMore(holder, proxy === heard ? share : 1));
  });
}

/** Takes from the rich when somebody has less than half of an equal share to spare: seldom, but before it runs out. */
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

/** Who claims more than it was given is told what it was given: an honest one follows as its players leave. */
function tellDown(draft: Draft): void {
  for (const [proxy, { overclaims, pending, granted }] of draft.linked)
    if (overclaims && !pending) draft.tell(proxy, granted);
}

interface Giver {
  readonly proxy: ServiceId;
  readonly holder: Holder;
  readonly spare: number;
}

function takeDownTo(draft: Draft, level: number, givers: readonly Giver[]): void {
  for (const { proxy, holder, spare } of givers) {
    if (spare > level) draft.tell(proxy, holder.granted - (spare - level));
  }
}

/** True while another linked proxy may give something back that it has not told to be taken since then. */
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
  draft.tell(proxy, withMore(holder, more), id);
  draft.change(proxy, { waiting: holder.waiting.filter((waiting) => waiting !== request) });
}

/** Slots that are missing for those who wait. */
function missingOf(holder: Holder): number {
  const wanted = holder.waiting.reduce((all, waiting) => all + waiting.wanted, 0);
  return Math.max(0, wanted - spareOf(holder));
}

/** The moment after which an answer tells all that concerns those who wait. */
function sinceOf({ waiting }: Holder): number {
  return waiting.reduce((last, { since }) => Math.max(last, since), 0);
}

/** What it can spare for a request of that moment: by its own word if it was given since, else at best. */
function spareSince(holder: Holder, since: number): number {
  return holder.heardAt > since ? spareOf(holder) : Math.max(0, holder.granted - holder.players);
}
