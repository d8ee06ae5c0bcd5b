import type { BackoffRange } from '#shared/backoff.ts';
import { hasCode, type OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Attachment } from '#master/core/volumes/attachment.ts';
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
  readonly #around: Pick<VolumeSurroundings, 'settings' | 'changed' | 'now'>;
  /**
   * Whether an earlier master has attached the volume, and this master has not tried to save the running service yet.
   */
  #isUntried: boolean;
  /** The last failed save of each node's data, after the service has exited. */
  readonly #errors = new Map<string, OverworldError>();
  readonly #delays: RetryDelays<string>;

  /**
   * @param isAttached whether an earlier master has attached the volume
   * @param clock returns the monotonic time (ms)
   */
  constructor(
    around: Pick<VolumeSurroundings, 'settings' | 'changed' | 'now'>,
    isAttached: boolean,
    clock: () => number = monotonicMs,
  ) {
    this.#around = around;
    this.#isUntried = isAttached;
    this.#delays = new RetryDelays({ range: RETRY, clock, settings: around.settings });
  }

  /** Sets {@link problem}, and reports the change. */
  show(problem: string | null): void {
    this.problem = problem;
    this.#around.changed();
  }

  /** Records that an attempt to save the running service has ended, successful or not. */
  noteAttempt(): void {
    this.#isUntried = false;
  }

  /**
   * Returns why the data of the attached service may not be savable, so that no rule may stop the service. Null if
   * nothing is known against it, or if the volume is not attached.
   *
   * This includes a save that was due before this master started: it may have failed, and failures are not stored,
   * because the disk may be full.
   */
  whyUnsavable(attachment: Attachment | null): string | null {
    if (attachment === null) return null;
    const dueAt = (attachment.savedAt ?? attachment.since) + this.#around.settings().saveInterval * 1_000;
    const isOverdue = this.#isUntried && dueAt <= this.#around.now();
    return (
      this.problem ?? (isOverdue ? 'Its last save is too old, and the next one has not ended yet.' : null)
    );
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
    this.#isUntried = false;
    this.#errors.clear();
    this.#delays.endAll();
  }
}
