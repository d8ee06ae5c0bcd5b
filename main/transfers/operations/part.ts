import { createHash } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { partName } from '../remote/names.ts';
import type { Source } from '../remote/pump.ts';

/**
 * Number of bytes at the end of a partial file that are not trusted if its write order is unknown. Pieces arrive in
 * any order, so the end may have holes. Several times the amount of data in flight (pump.ts).
 */
const DOUBTFUL_BYTES = 16 * 1_048_576;

/** Number of bytes before the resume position that are compared on both sides. */
const COMPARED_BYTES = 65_536;

/** A source file. Equal values mean equal content. */
export interface PartSource {
  /** The computer or master that it is on. */
  readonly origin: string;
  readonly path: string;
  readonly bytes: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
}

/**
 * Returns the name of a file's partial copy, next to its destination. It is a hash of what identifies the source's
 * content, so that it is found again after an interruption or restart, and never after the source has changed.
 *
 * @param target name of the destination
 */
export function partNameOf(source: PartSource, target: string): string {
  const { origin, path, bytes, modifiedAt } = source;
  const words = [origin, path, bytes, Math.floor(modifiedAt), target];
  return partName(createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 32));
}

/**
 * Returns the byte to resume from; 0 is the beginning.
 *
 * Example: 100 MB of 200 have arrived in unknown order: resumes from 84 MB.
 *
 * @param part `bytes`: its size; `mark`: up to where it is complete, undefined if unknown
 * @param size size of the source
 */
export function resumePoint(part: { bytes: number; mark: number | undefined }, size: number): number {
  if (part.bytes > size) return 0;
  return part.mark === undefined ? Math.max(0, part.bytes - DOUBTFUL_BYTES) : Math.min(part.mark, part.bytes);
}

/** Returns whether the last bytes before a position are equal on both sides. */
export async function isSameBefore(position: number, one: Source, other: Source): Promise<boolean> {
  const bytes = Math.min(position, COMPARED_BYTES);
  const [left, right] = [Buffer.alloc(bytes), Buffer.alloc(bytes)];
  const read = await Promise.all([one.readAt(left, position - bytes), other.readAt(right, position - bytes)]);
  return read.every((count) => count === bytes) && left.equals(right);
}

/** Returns a source that starts at an offset of another. */
export function sourceFrom(source: Source, from: number): Source {
  return { readAt: (buffer, position) => source.readAt(buffer, position + from) };
}

/** The partial files of one transfer, and up to where each is complete. Stored in the queue's journal. */
export class PartLedger {
  readonly #marks: Map<string, number>;
  readonly #inUse: Set<string>;

  /** @param inUse partial files that any transfer of the queue is writing to */
  constructor(inUse: Set<string>, marks: Readonly<Record<string, number>> = {}) {
    this.#inUse = inUse;
    this.#marks = new Map(Object.entries(marks));
  }

  /**
   * Claims a partial file for this transfer.
   *
   * @throws OverworldError TRANSFER_FAILED if another transfer uses it
   */
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

  /** Removes a partial file that was renamed or deleted. */
  forget(part: string): void {
    this.#marks.delete(part);
  }

  /** Maps each path on the destination side to its number of complete bytes. */
  marks(): Record<string, number> {
    return Object.fromEntries(this.#marks);
  }
}
