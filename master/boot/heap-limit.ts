import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { heapGrowthFlag } from '#shared/heap-growth.ts';

/**
 * Interval at which the heap limit is adjusted (ms). V8 uses the limit after a garbage collection, at most a few
 * times a minute. An adjustment takes about 20 µs.
 */
const LOOK_MS = 1_000;

/**
 * Sets V8's heap limit from the current size of the heap, once per interval, until the process exits. Must only be
 * called after all modules are loaded. The reason is the cached compiled code of Node.js and of the app, which is
 * only valid for the flags with which the process started. With other flags, Node.js alone takes 20 ms longer to load
 * its modules (docs/adr/0014).
 */
export function limitHeapGrowth(): void {
  setInterval(() => setFlagsFromString(heapGrowthFlag(getHeapStatistics().used_heap_size)), LOOK_MS).unref();
}
