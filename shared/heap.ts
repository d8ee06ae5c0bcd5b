/** Kept free for what is thrown away again beyond what is alive, MB: the buffers of 32 MB that V8 lets pile up, and more. */
const ROOM_MB = 45;

/** Bounds of the room as a part of what is alive, percent. V8 gives no small heap more than the upper one by itself. */
const LEAST_PERCENT = 80;
const MOST_PERCENT = 300;

/** V8's own choice: the flags that every process is started with. */
export const USUAL_HEAP_FLAG = '--heap-growing-percent=0';

/**
 * How far the master's heap may grow before rubbish is looked for in all of it, as a flag of V8.
 *
 * V8 counts buffers that lie outside the heap as well. In file transfers 32 MB of them come together before the young part of the
 * heap is cleaned, so with less room than that V8 looks through all of the heap several times a second: half of the
 * master's processor time in transfers (docs/adr/0007). A large heap has that room by the lower bound; V8 by itself lets it
 * grow to four times what is alive: with 10,000 services 210 MB of RSS instead of 175 (measured).
 *
 * @param usedBytes heap in use now, rubbish included
 */
export function heapFlag(usedBytes: number): string {
  const percent = Math.round(((ROOM_MB * 1024 * 1024) / Math.max(1, usedBytes)) * 100);
  return `--heap-growing-percent=${Math.min(MOST_PERCENT, Math.max(LEAST_PERCENT, percent))}`;
}
