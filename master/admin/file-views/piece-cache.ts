import { monotonicMs } from '#shared/node/clock.ts';

/** Maximum number of pieces in memory, over all users (512 KB each). */
const MAX_PIECES = 32;

/**
 * Maximum age of a piece in memory at which it is still returned (ms). The limit is short, because a running server
 * changes its files all the time.
 */
const MAX_AGE_MS = 2_000;

interface Kept<T> {
  readonly piece: Promise<T>;
  /** When the piece was requested (ms on the monotonic clock). */
  readonly at: number;
}

interface PieceCacheOptions {
  /** Default: {@link MAX_PIECES}. */
  readonly maxPieces?: number;
  /** Returns the time on the monotonic clock (ms). */
  readonly clock?: () => number;
}

/**
 * Pieces of files that were requested in the last two seconds. A client requests less than a piece at a time, and
 * several parts at once, so each piece is needed several times.
 */
export class PieceCache<T> {
  readonly #maxPieces: number;
  readonly #clock: () => number;
  /** The pieces by key, in the order of their requests. */
  readonly #kept = new Map<string, Kept<T>>();
  #sweeps = false;

  constructor({ maxPieces = MAX_PIECES, clock = monotonicMs }: PieceCacheOptions = {}) {
    this.#maxPieces = maxPieces;
    this.#clock = clock;
  }

  /** Number of pieces in memory. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * Returns a piece. Calls `fetch` if the piece was not requested in the last two seconds. Does not keep a piece
   * whose `fetch` fails.
   */
  get(key: string, fetch: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known !== undefined && this.#clock() - known.at < MAX_AGE_MS) return known.piece;
    this.#kept.delete(key);
    const piece = fetch();
    const kept = { piece, at: this.#clock() };
    this.#kept.set(key, kept);
    piece.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    this.#makeRoom();
    this.#sweepLater();
    return piece;
  }

  #makeRoom(): void {
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxPieces) return;
      this.#kept.delete(key);
    }
  }

  /** Drops old pieces later, so that they do not stay in memory when clients request nothing more. */
  #sweepLater(): void {
    if (this.#sweeps) return;
    this.#sweeps = true;
    setTimeout(() => {
      this.#sweeps = false;
      for (const [key, { at }] of this.#kept) if (this.#clock() - at >= MAX_AGE_MS) this.#kept.delete(key);
      if (this.#kept.size > 0) this.#sweepLater();
    }, MAX_AGE_MS).unref();
  }
}
