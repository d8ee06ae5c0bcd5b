import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';

/** Time after a failed save for which the files of an exited service are not collected again (ms). */
const RETRY_MS = 10_000;

/** The last save of a volume that failed. */
export class LastFailure {
  /** Why it failed, for people, as long as this matters; null if it did not. */
  problem: string | null = null;
  #of: { readonly node: string; readonly error: OverworldError; readonly at: number } | null = null;

  /** Notes that a save of a node failed. */
  note(node: string, error: OverworldError): void {
    this.#of = { node, error, at: monotonicMs() };
  }

  /** Returns why a save of a node failed a moment ago; null otherwise. */
  recentOn(node: string): OverworldError | null {
    const failure = this.#of?.node === node ? this.#of : null;
    return failure !== null && monotonicMs() - failure.at < RETRY_MS ? failure.error : null;
  }

  /** Forgets a failed save of a node, so that the next one is not delayed. The problem stays. */
  forget(node: string): void {
    if (this.#of?.node === node) this.#of = null;
  }

  clear(): void {
    this.problem = null;
    this.#of = null;
  }
}
