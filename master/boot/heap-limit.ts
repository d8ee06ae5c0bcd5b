import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { heapFlag } from '#shared/heap.ts';

/** V8 reads the flag when it has cleaned the heap, a few times a minute at most; a change takes it some 20 µs. */
const LOOK_MS = 1_000;

/**
 * Gives the heap of this process the room that its size calls for, from the next look on and as long as it lives. Not to
 * be begun before all modules are loaded: what Node and the app keep compiled fits only the flags that a process was
 * started with; under others Node alone takes 20 ms longer to load its modules (docs/adr/0014).
 */
export function keepHeapRoom(): void {
  setInterval(() => setFlagsFromString(heapFlag(getHeapStatistics().used_heap_size)), LOOK_MS).unref();
}
