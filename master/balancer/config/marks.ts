import { createHash } from 'node:crypto';

/** Lowest id that Overworld uses. HAProxy counts its own ids from 1 upwards, so the two ranges do not overlap. */
const FIRST = 0x4000_0000;
const COUNT = 0x3fff_ffff;

/**
 * Returns an id for HAProxy: a hash of the given text (30 bits). The runtime socket shows ids but not options. If a
 * running HAProxy shows this id, it therefore runs with this text.
 */
export function markOf(text: string): number {
  return FIRST + (createHash('sha256').update(text).digest().readUInt32BE() % COUNT);
}

/** Reports whether an id may have been created by {@link markOf}. All other ids of HAProxy are lower. */
export function isMark(id: number): boolean {
  return id >= FIRST;
}
