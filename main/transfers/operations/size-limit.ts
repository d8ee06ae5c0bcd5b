import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Cancels a copy that receives more bytes than allowed, whatever size the master has reported. */
export class SizeLimit {
  readonly #stop = new AbortController();
  readonly #limit: number;
  #bytes = 0;

  /**
   * Creates a limit with a count of 0 bytes.
   *
   * @param limit maximum total size (bytes)
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Aborted with FILE_TOO_LARGE when the limit is exceeded. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Counts received bytes.
   *
   * @param path file that the bytes belong to, for the error
   */
  add(path: string, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit) return;
    const details = { path, bytes: this.#bytes, limit: this.#limit };
    this.#stop.abort(new OverworldError('FILE_TOO_LARGE', details));
  }
}
