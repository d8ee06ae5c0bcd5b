import { createHash } from 'node:crypto';

/** HAProxy numbers what has no number from 1 up; ours begin here, so the two never meet. */
const FIRST = 0x4000_0000;
const COUNT = 0x3fff_ffff;

/**
 * A number for HAProxy's `id` that stands for a text: what runs under it was read from that very text. The runtime socket
 * shows ids but not options, so this is how a running HAProxy is compared with what is wanted.
 */
export function markOf(text: string): number {
  return FIRST + (createHash('sha256').update(text).digest().readUInt32BE() % COUNT);
}

/** One of ours, whatever text it stands for. */
export function isMark(id: number): boolean {
  return id >= FIRST;
}
