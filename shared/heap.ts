/**
 * How far the master's heap may grow beyond what is alive before rubbish is looked for, as a flag of V8. V8 by itself
 * lets a small heap grow to four times that: with 10,000 services 210 MB of RSS instead of 175, for the same processor
 * time (measured). Whoever compiles the master ahead of its start must set it first.
 */
export const MASTER_HEAP_FLAG = '--heap-growing-percent=80';
