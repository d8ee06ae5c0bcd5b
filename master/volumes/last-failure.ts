import type { BackoffRange } from '#shared/backoff.ts';
import { hasCode, type OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import { RetryDelays } from './retry-delays.ts';
import type { VolumeSurroundings } from './surroundings.ts';

/** Time after a failed save during which the files of an exited service are not collected again. */
const RETRY: BackoffRange = { firstMs: 10_000, maxMs: 600_000 };

/**
 * Codes of failures after which the delay grows, because a person has to act. Each attempt may read all files of the
 * service.
 */
const LASTING = ['VOLUME_QUOTA', 'DISK_RESERVED', 'DISK_FULL'] as const;

/** Stores why saves of a volume failed, so that this can be displayed and saves are not repeated too early. */
export class LastFailure {
  /** Why the last save failed, as text for people. Null if it did not fail, or if the failure no longer matters. */
  problem: string | null = null;
  readonly #changed: () => void;
  /** The last failed save of each node's data, after the service has exited. */
  readonly #errors = new Map<string, OverworldError>();
  readonly #delays: RetryDelays<string>;

  /** @param clock returns the monotonic time (ms) */
  constructor(
    { settings, changed }: Pick<VolumeSurroundings, 'settings' | 'changed'>,
    clock: () => number = monotonicMs,
  ) {
    this.#changed = changed;
    this.#delays = new RetryDelays({ range: RETRY, clock, settings });
  }

  /** Sets {@link problem}, and reports the change. */
  show(problem: string | null): void {
    this.problem = problem;
    this.#changed();
  }

  /** Records that a save of a node's data failed after the service had exited. */
  note(node: string, error: OverworldError): void {
    this.#errors.set(node, error);
    this.#delays.failed(
      node,
      LASTING.some((code) => hasCode(error, code)),
    );
  }

  /**
   * Returns the error of the last failed save of this node's data. Returns null if the next attempt may begin now.
   * The delay before the next attempt is 10 s. It grows up to 10 min while saves fail because of a quota or the disk.
   */
  recentOn(node: string): OverworldError | null {
    return this.#delays.remainingMs(node) > 0 ? (this.#errors.get(node) ?? null) : null;
  }

  /** Allows the next attempt to save the data of any node now. `problem` stays. */
  endDelays(): void {
    this.#delays.endAll();
  }

  /** Removes the failure of a node, so that the next save of its data is not delayed. `problem` stays. */
  forget(node: string): void {
    this.#errors.delete(node);
    this.#delays.end(node);
  }

  clear(): void {
    this.problem = null;
    this.#errors.clear();
    this.#delays.endAll();
  }
}
