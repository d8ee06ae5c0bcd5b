import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';

/** Time after a failed save during which the files of an exited service are not collected again (ms). */
const RETRY_MS = 10_000;

/** Stores the last failed save of a volume, so that it can be displayed and is not repeated too early. */
export class LastFailure {
  /** Why the last save failed, as text for people. Null if it did not fail, or if the failure no longer matters. */
  problem: string | null = null;
  #of: { readonly node: string; readonly error: OverworldError; readonly at: number } | null = null;

  /** Records that a save of a node's data failed. */
  note(node: string, error: OverworldError): void {
    this.#of = { node, error, at: monotonicMs() };
  }

  /** Returns the error of a save of this node's data that failed within the last 10 s. Null if there is none. */
  recentOn(node: string): OverworldError | null {
    const failure = this.#of?.node === node ? this.#of : null;
    return failure !== null && monotonicMs() - failure.at < RETRY_MS ? failure.error : null;
  }

  /** Removes the failure of a node, so that the next save of its data is not delayed. `problem` stays. */
  forget(node: string): void {
    if (this.#of?.node === node) this.#of = null;
  }

  clear(): void {
    this.problem = null;
    this.#of = null;
  }
}
