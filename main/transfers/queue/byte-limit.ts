import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Ends a copy that brings more than was allowed, whatever the far side has said of its size. */
export class ByteLimit {
  readonly #stop = new AbortController();
  readonly #limit: number;
  #bytes = 0;

  /** @param limit of all that is counted together, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Aborted with FILE_TOO_LARGE when there is too much. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** @param path that the bytes are of, for the error */
  add(path: string, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit) return;
    const details = { path, bytes: this.#bytes, limit: this.#limit };
    this.#stop.abort(new OverworldError('FILE_TOO_LARGE', details));
  }
}
