import { createHash } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { partName } from '../remote/names.ts';
import type { Source } from './pump.ts';

/**
 * Bytes at the end of a part that are not trusted when nothing is known of how it was written: pieces arrive in any
 * order, so the last ones may have holes. Several times what is ever in flight (pump.ts).
 */
const DOUBTFUL_BYTES = 16 * 1_048_576;

/** Bytes before the place to go on from that are compared on both sides. */
const COMPARED_BYTES = 65_536;

/** A file as it is copied: the same values mean the same content. */
export interface PartSource {
  /** Which computer or master it is on. */
  readonly origin: string;
  readonly path: string;
  readonly bytes: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
}

/**
 * Name of the half-written copy of a file, beside its destination. Made of what names the source's content, so it is
 * found again after a break or a restart, and a source that was changed meanwhile never finds the part of the old one.
 *
 * @param target name of the destination
 */
export function partNameOf(source: PartSource, target: string): string {
  const { origin, path, bytes, modifiedAt } = source;
  const words = [origin, path, bytes, Math.floor(modifiedAt), target];
  return partName(createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 32));
}

/**
 * The byte to go on from, 0 for the beginning.
 *
 * @param part `bytes`: its size; `mark`: how far it is known to be whole, undefined when nobody knows (a part of an
 *   earlier queue)
 * @param size of the source
 * Example: 100 MB have arrived of 200, nobody knows in which order: goes on from 84 MB.
 */
export function resumePoint(part: { bytes: number; mark: number | undefined }, size: number): number {
  if (part.bytes > size) return 0;
  return part.mark === undefined ? Math.max(0, part.bytes - DOUBTFUL_BYTES) : Math.min(part.mark, part.bytes);
}

/** True when the last bytes before a place are the same on both sides. */
export async function isSameBefore(position: number, one: Source, other: Source): Promise<boolean> {
  const bytes = Math.min(position, COMPARED_BYTES);
  const [left, right] = [Buffer.alloc(bytes), Buffer.alloc(bytes)];
  const read = await Promise.all([one.readAt(left, position - bytes), other.readAt(right, position - bytes)]);
  return read.every((count) => count === bytes) && left.equals(right);
}

/** A source that begins at a later place of a file. */
export function sourceFrom(source: Source, from: number): Source {
  return { readAt: (buffer, position) => source.readAt(buffer, position + from) };
}

/** The half-written files of one transfer, and how far each is whole. Kept in the queue's journal. */
export class PartLedger {
  readonly #marks: Map<string, number>;
  readonly #inUse: Set<string>;

  /** @param inUse parts that any transfer writes to now, shared by all of one queue */
  constructor(inUse: Set<string>, marks: Readonly<Record<string, number>> = {}) {
    this.#inUse = inUse;
    this.#marks = new Map(Object.entries(marks));
  }

  /** Takes a part for itself. @throws OverworldError TRANSFER_FAILED when another transfer has it */
  claim(part: string, path: string): void {
    if (this.#inUse.has(part)) {
      throw new OverworldError('TRANSFER_FAILED', { path, why: 'another transfer is writing it right now' });
    }
    this.#inUse.add(part);
  }

  release(part: string): void {
    this.#inUse.delete(part);
  }

  mark(part: string): number | undefined {
    return this.#marks.get(part);
  }

  set(part: string, mark: number): void {
    this.#marks.set(part, mark);
  }

  /** The part is gone: in its place, or deleted. */
  forget(part: string): void {
    this.#marks.delete(part);
  }

  /** Paths on the side that is written to → bytes that are whole. */
  marks(): Record<string, number> {
    return Object.fromEntries(this.#marks);
  }
}
