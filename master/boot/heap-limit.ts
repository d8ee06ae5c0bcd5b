import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { heapGrowthFlag } from '#shared/heap-growth.ts';

/**
 * Interval at which the heap limit is adjusted (ms). V8 reads the limit after a garbage collection, a few times a
 * minute at most. An adjustment takes about 20 µs.
 */
const LOOK_MS = 1_000;

/**
 * Sets the heap limit from the current size of the heap, once per interval, until the process exits. Call it only
 * after all modules are loaded: the compiled code of Node.js and the app is valid only for the flags with which the
 * process started. Under other flags, Node.js alone takes 20 ms longer to load its modules (docs/adr/0014).
 */
export function limitHeapGrowth(): void {
  setInterval(() => setFlagsFromString(heapGrowthFlag(getHeapStatistics().used_heap_size)), LOOK_MS).unref();
}
