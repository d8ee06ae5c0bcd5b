import { createHash } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { partName } from '../remote/names.ts';
import type { Source } from '../remote/copy-bytes.ts';

/**
 * Number of bytes at the end of a partial file that are copied again if no mark says up to which byte the file is
 * complete. Pieces arrive in any order, so the end may have holes. The number is several times the amount of data in
 * flight (copy-bytes.ts).
 */
const DOUBTFUL_BYTES = 16 * 1_048_576;

/** Number of bytes before the resume position that are compared on both sides. */
const COMPARED_BYTES = 65_536;

/** Identifies the content of a source file: if all fields are equal, the content counts as equal. */
export interface PartSource {
  /** Identifies the app's installation (upload) or the master (download) that has the file. */
  readonly origin: string;
  readonly path: string;
  readonly bytes: number;
  /** Ms since epoch. */
  readonly modifiedAt: number;
}

/**
 * Returns the name of a file's partial copy, which is in the folder of the destination. The name contains a hash of
 * the facts that identify the source's content. So a transfer finds the partial copy after an interruption or a
 * restart, but not after the source has changed.
 *
 * @param target file name at the destination
 */
export function partNameOf(source: PartSource, target: string): string {
  const { origin, path, bytes, modifiedAt } = source;
  const words = [origin, path, bytes, Math.floor(modifiedAt), target];
  return partName(createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 32));
}

/**
 * Returns the byte to resume from; 0 is the beginning.
 *
 * Example: a partial file of 100 MB without a mark, source of 200 MB → 84 MB.
 *
 * @param part `bytes`: size of the partial file; `mark`: number of bytes from its start that are complete, undefined
 *   if unknown
 * @param size size of the source
 */
export function resumePoint(part: { bytes: number; mark: number | undefined }, size: number): number {
  if (part.bytes > size) return 0;
  return part.mark === undefined ? Math.max(0, part.bytes - DOUBTFUL_BYTES) : Math.min(part.mark, part.bytes);
}

/** Returns whether the last 64 KiB before a position are equal in two files. */
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

/**
 * The partial files of one transfer. Records how many bytes from the start of each partial file are complete. The
 * queue's journal stores these numbers.
 */
export class PartLedger {
  readonly #marks: Map<string, number>;
  readonly #inUse: Set<string>;
  readonly #deletions: ReadonlyMap<string, Promise<void>>;

  /**
   * Creates the ledger of one transfer.
   *
   * @param inUse partial files that any transfer of the queue is writing to
   * @param deletions running deletions of partial files of ended transfers
   */
  constructor(
    inUse: Set<string>,
    marks: Readonly<Record<string, number>> = {},
    deletions: ReadonlyMap<string, Promise<void>> = new Map(),
  ) {
    this.#inUse = inUse;
    this.#deletions = deletions;
    this.#marks = new Map(Object.entries(marks));
  }

  /**
   * Claims a partial file for this transfer. Resolves once the file can be used. If an ended transfer of the same
   * source has left this file behind, its deletion may still be running. The call then waits until the deletion ends.
   *
   * @throws OverworldError TRANSFER_FAILED if another transfer uses it
   */
  async claim(part: string, path: string): Promise<void> {
    if (this.#inUse.has(part)) {
      throw new OverworldError('TRANSFER_FAILED', { path, why: 'another transfer is writing to it' });
    }
    this.#inUse.add(part);
    // If the deletion fails, the part is used as it is.
    await this.#deletions.get(part)?.catch(() => undefined);
  }

  /** Ends the claim of a partial file, so that another transfer may use it. */
  release(part: string): void {
    this.#inUse.delete(part);
  }

  /** Returns up to where a partial file is complete (bytes). Undefined if unknown. */
  mark(part: string): number | undefined {
    return this.#marks.get(part);
  }

  /** Records up to where a partial file is complete. @param mark number of bytes from the start of the file */
  set(part: string, mark: number): void {
    this.#marks.set(part, mark);
  }

  /** Removes a partial file that was renamed or deleted. */
  forget(part: string): void {
    this.#marks.delete(part);
  }

  /**
   * Returns the number of complete bytes from the start of each partial file, by its path on the destination side.
   */
  marks(): Record<string, number> {
    return Object.fromEntries(this.#marks);
  }
}
