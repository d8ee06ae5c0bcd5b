import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { heapFlag } from '#shared/heap.ts';

/**
 * Interval of the adjustment (ms). V8 reads the flag after a garbage collection, a few times a minute at most; a
 * change takes about 20 µs.
 */
const LOOK_MS = 1_000;

/**
 * Adjusts the heap's room to its size at each interval, until the process exits. Must not start before all modules
 * are loaded: the compiled code of Node and the app is valid only for the flags of the process's start, and under
 * other flags Node alone takes 20 ms longer to load its modules (docs/adr/0014).
 */
export function keepHeapRoom(): void {
  setInterval(() => setFlagsFromString(heapFlag(getHeapStatistics().used_heap_size)), LOOK_MS).unref();
}
