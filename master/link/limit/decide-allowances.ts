import type { ServiceId } from '#shared/model/service-id.ts';
import { AllowanceDraft, applyEvent, withMore } from './draft.ts';
import { evenShares } from './even-shares.ts';
import { spareOf, type Allow, type AllowanceEvent, type Allowances, type Holder } from './state.ts';

/**
 * A proxy with a waiting request that cannot be granted in full yet, and the free slots that are reserved for it
 * until then.
 */
interface Unserved {
  readonly proxy: ServiceId;
  readonly since: number;
  readonly setAside: number;
}

/**
 * Applies one event and decides which messages to send to the proxies (demarcation protocol, Barbará & Garcia-Molina
 * 1992; docs/adr/0022). Pure: the same state and event give the same result.
 *
 * Guarantees:
 *
 * - The sum of all allowances never grows beyond the limit (`max_online_players`). While the sum is above the limit,
 *   it does not grow. The exception is an allowance that was lost with the state folder: it becomes the number that
 *   its proxy reports.
 * - A waiting proxy is answered as soon as no other proxy can return slots for it.
 * - A slot that one linked proxy can spare is granted to a linked proxy that requests it.
 */
export function decideAllowances(
  state: Allowances,
  event: AllowanceEvent,
): { state: Allowances; allow: readonly Allow[] } {
  const draft = new AllowanceDraft(state);
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
  if (event.kind === 'tick') correctOverclaims(draft);
  // Requests an answer. The answer reports the exact number of used slots, even if an earlier message was lost.
  if (event.kind === 'linked') {
    const holder = draft.of(event.proxy);
    if (holder?.pending === false) draft.send(event.proxy, holder.granted);
  }
  return { state: draft.state, allow: draft.allow };
}

/**
 * Grants free slots to waiting proxies, the oldest request first. A request is granted in full or not at all.
 *
 * @returns the proxies whose requests were not granted
 */
function serve(draft: AllowanceDraft): Unserved[] {
  const waiting = draft.linked
    // Skips proxies with a message in transit, because that message may already grant all the slots that the proxy
    // needs. The proxy's answer to it will report whether more are needed.
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

/**
 * Asks proxies with spare slots to return slots: as many as waiting proxies still need, plus as many as are granted
 * beyond the limit. The proxies with the most spare slots return slots first, until their numbers of spare slots are
 * equal.
 */
function recall(draft: AllowanceDraft, unserved: readonly Unserved[]): void {
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
 * Distributes free slots in advance. Players can then join without a request to the master, even while the master is
 * down. A proxy that hangs must not get its whole share, because a granted slot counts as used immediately. Each
 * proxy therefore first gets one slot, and the rest of its share when it answers.
 *
 * @param event the applied event. If it is a message of a proxy, this proxy does not hang and gets its whole share
 */
function handOut(draft: AllowanceDraft, event: AllowanceEvent): void {
  const answering = event.kind === 'linked' || event.kind === 'answered' ? event.proxy : null;
  const takers = draft.linked.filter(([, { waiting }]) => waiting.length === 0);
  const shares = evenShares(
    draft.room,
    takers.map(([, holder]) => spareOf(holder)),
  );
  takers.forEach(([proxy, holder], index) => {
    const share = shares[index] ?? 0;
    if (share > 0 && !holder.pending) draft.send(proxy, withMore(holder, proxy === answering ? share : 1));
  });
}

/**
 * Takes slots from the proxies with the most spare slots if another proxy has less than half of an equal share of
 * spare slots. So slots move rarely, but early enough that this other proxy does not run out of slots.
 */
function evenOut(draft: AllowanceDraft): void {
  const all = draft.linked.map(([proxy, holder]) => ({ proxy, holder, spare: spareOf(holder) }));
  const level = Math.floor(all.reduce((sum, { spare }) => sum + spare, 0) / all.length);
  if (!all.some(({ holder, spare }) => !holder.pending && 2 * spare < level)) return;
  takeDownTo(
    draft,
    level,
    all.filter(({ holder }) => !holder.pending),
  );
}

/**
 * Sends each proxy that claims too many slots its real allowance. A correct plugin then returns the excess as its
 * players leave.
 */
function correctOverclaims(draft: AllowanceDraft): void {
  for (const [proxy, { overclaims, pending, granted }] of draft.linked)
    if (overclaims && !pending) draft.send(proxy, granted);
}

interface Giver {
  readonly proxy: ServiceId;
  readonly holder: Holder;
  readonly spare: number;
}

function takeDownTo(draft: AllowanceDraft, level: number, givers: readonly Giver[]): void {
  for (const { proxy, holder, spare } of givers) {
    if (spare > level) draft.send(proxy, holder.granted - (spare - level));
  }
}

/**
 * Reports whether another linked proxy may still return slots: it has not answered its last `allow` message, and may
 * have spare slots.
 *
 * @param proxy the proxy that requests slots
 * @param since number of the event with which the request arrived
 */
function canCome(draft: AllowanceDraft, proxy: ServiceId, since: number): boolean {
  return draft.linked.some(
    ([other, holder]) => other !== proxy && holder.pending && spareSince(holder, since) > 0,
  );
}

function answerOverdue(draft: AllowanceDraft, { proxy, id }: { proxy: ServiceId; id: number }): void {
  const holder = draft.of(proxy);
  const request = holder?.waiting.find((waiting) => waiting.id === id);
  if (holder === undefined || request === undefined) return;
  const more = Math.min(request.wanted, Math.max(0, draft.room));
  draft.send(proxy, withMore(holder, more), id);
  draft.change(proxy, { waiting: holder.waiting.filter((waiting) => waiting !== request) });
}

/** Returns how many more slots a proxy needs for its waiting players. */
function missingOf(holder: Holder): number {
  const wanted = holder.waiting.reduce((all, waiting) => all + waiting.wanted, 0);
  return Math.max(0, wanted - spareOf(holder));
}

/**
 * Returns the number of the event with which a proxy's latest waiting request arrived. Returns 0 if no request waits.
 */
function sinceOf({ waiting }: Holder): number {
  return waiting.reduce((last, { since }) => Math.max(last, since), 0);
}

/**
 * Returns how many slots a proxy can spare for a request that arrived with the event `since`. Uses the proxy's last
 * answer if it is newer than the request. Otherwise, returns the largest possible number: all slots that its players
 * do not use.
 */
function spareSince(holder: Holder, since: number): number {
  return holder.answeredAt > since ? spareOf(holder) : Math.max(0, holder.granted - holder.players);
}
