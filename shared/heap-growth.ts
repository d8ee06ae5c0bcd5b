/** Room for garbage on top of the heap in use (MB). Covers the external buffers that V8 lets accumulate (32 MB). */
const ROOM_MB = 45;

/**
 * Minimum and maximum of the room, as a percentage of the heap in use. V8's own default for a small heap never
 * exceeds this maximum.
 */
const LEAST_PERCENT = 80;
const MOST_PERCENT = 300;

/** The flag that selects V8's own default, with which every process starts. */
export const DEFAULT_HEAP_GROWTH_FLAG = '--heap-growing-percent=0';

/**
 * Returns the V8 flag that limits how far the master's heap may grow before a full garbage collection.
 *
 * V8 counts external buffers towards the heap, and file transfers allocate 32 MB of them between two collections of
 * the young generation. If the heap has less than 32 MB of room, V8 runs several full collections per second. In
 * measurements, these collections took half of the processor time of transfers (docs/adr/0007). A large heap has only
 * the minimum percentage as room. With V8's default, it would grow to four times the heap in use (210 MB of RSS
 * instead of 175 MB with 10,000 services).
 *
 * Example: 45 MB in use → `--heap-growing-percent=100`.
 *
 * @param usedBytes heap in use now, including garbage
 */
export function heapGrowthFlag(usedBytes: number): string {
  const percent = Math.round(((ROOM_MB * 1024 * 1024) / Math.max(1, usedBytes)) * 100);
  return `--heap-growing-percent=${Math.min(MOST_PERCENT, Math.max(LEAST_PERCENT, percent))}`;
}
