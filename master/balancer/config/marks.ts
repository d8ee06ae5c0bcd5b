import { createHash } from 'node:crypto';

/** Lowest id that Overworld uses. HAProxy counts its own ids from 1 upwards, so the two ranges do not overlap. */
const FIRST = 0x4000_0000;
const COUNT = 0x3fff_ffff;

/**
 * Returns an id for HAProxy that is a hash of a text (30 bits). The runtime socket shows ids but not options, so an
 * equal id shows that HAProxy runs with this text.
 */
export function markOf(text: string): number {
  return FIRST + (createHash('sha256').update(text).digest().readUInt32BE() % COUNT);
}

/** Reports whether an id is high enough to be one of {@link markOf}. Other ids of HAProxy are lower. */
export function isMark(id: number): boolean {
  return id >= FIRST;
}
