import type { Chance } from './chance.ts';
import type { ChaosNetwork } from './chaos-network.ts';
import type { Allowed } from './verdicts.ts';

/** Kind of fault that continues for some time. */
export interface Fault {
  readonly name: string;
  /** Changes that the fault is allowed to make. */
  readonly allowed?: Allowed;
  /** Reason why this machine cannot cause the fault; null if it can. */
  readonly skipped?: string | null;
  /**
   * Causes the fault until `isOver` returns true, and then ends it. Checks the effects that are specific to this
   * fault.
   *
   * @returns a sentence with numbers that shows that the fault happened
   */
  readonly run: (network: ChaosNetwork, moment: Moment) => Promise<string>;
}

export interface Moment {
  readonly chance: Chance;
  /** Returns whether the fault has lasted for long enough. The time begins with the first call. */
  readonly isOver: () => boolean;
}

/**
 * Calls a function repeatedly until the time is over, at least once.
 *
 * @returns the number of calls
 */
export async function repeat({ isOver }: Moment, pauseMs: number, once: () => unknown): Promise<number> {
  let times = 0;
  do {
    await once();
    times += 1;
    // The pause sets the rate of the attack. It does not wait for a condition.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  } while (!isOver());
  return times;
}
