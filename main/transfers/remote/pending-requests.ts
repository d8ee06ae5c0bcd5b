import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { toRemoteError } from './file-errors.ts';
import type { RequestLog } from './request-log.ts';

/** A callback in the form that ssh2 calls. */
export type Done<T> = (error?: Error | null, value?: T) => void;

/**
 * The pending requests of one channel. When a connection breaks, ssh2 drops the callbacks of its requests, and
 * ssh2-sftp-client fails only one of several pending requests. This class fails each of them.
 */
export class PendingRequests {
  readonly #waiting = new Set<() => void>();
  readonly #log: RequestLog;
  #ended = false;

  constructor(log: RequestLog) {
    this.#log = log;
  }

  /** Whether the channel is closed. All requests that fail after the close fail for that reason. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Runs one ssh2 request as a promise.
   *
   * @param path path on the master, for the error
   * @param text line for the request log; without it the request is not logged, as for pieces of a file
   */
  request<T>(path: string, start: (done: Done<T>) => void, text?: string): Promise<T> {
    return this.guard(
      path,
      () =>
        new Promise<T>((resolve, reject) => {
          start((error, value) => {
            // On success, ssh2 passes a value for every request that has a result.
            if (error === undefined || error === null) resolve(value as T);
            else reject(error);
          });
        }),
      text,
    );
  }

  /**
   * Runs an operation and waits for it, at most until the connection closes.
   *
   * @param path path on the master, for the error
   * @param text line for the request log; without it the operation is not logged
   * @throws OverworldError as {@link toRemoteError} creates it; TRANSFER_FAILED if the connection closes first
   */
  guard<T>(path: string, operation: () => Promise<T>, text?: string): Promise<T> {
    const at = Date.now();
    const answer = new Promise<T>((resolve, reject) => {
      const onEnd = () => {
        reject(new OverworldError('TRANSFER_FAILED', { path, why: 'the connection to the master was lost' }));
      };
      if (this.#ended) {
        onEnd();
        return;
      }
      this.#waiting.add(onEnd);
      operation()
        .then(resolve, (error: unknown) => reject(toRemoteError(error, path)))
        .finally(() => this.#waiting.delete(onEnd));
    });
    if (text === undefined) return answer;
    const note = (error: string | null) => this.#log.add({ at, text, ms: Date.now() - at, error });
    return answer.then(
      (value) => {
        note(null);
        return value;
      },
      (error: unknown) => {
        note(toOverworldError(error).message);
        throw error;
      },
    );
  }

  /** Fails all pending and later requests, because the connection is closed. */
  end(): void {
    this.#ended = true;
    for (const onEnd of this.#waiting) onEnd();
    this.#waiting.clear();
  }
}
