import type { Chance } from './chance.ts';
import type { ChaosNetwork } from './chaos-network.ts';
import type { Allowed } from './verdicts.ts';

/** One kind of fault that goes on for a while. */
export interface Fault {
  readonly name: string;
  /** What the fault changes with right. */
  readonly allowed?: Allowed;
  /** Reason why this machine cannot cause the fault; null if it can. */
  readonly skipped?: string | null;
  /**
   * Causes the fault until `isOver` returns true, then ends it. Checks what this fault alone must not achieve.
   *
   * @returns a sentence with numbers that shows that the fault happened
   */
  readonly run: (network: ChaosNetwork, moment: Moment) => Promise<string>;
}

export interface Moment {
  readonly chance: Chance;
  /** Whether the fault has gone on for long enough. The time begins with the first call. */
  readonly isOver: () => boolean;
}

/**
 * Calls a function again and again until the time is over, at least once.
 *
 * @returns the number of calls
 */
export async function repeat({ isOver }: Moment, pauseMs: number, once: () => unknown): Promise<number> {
  let times = 0;
  do {
    await once();
    times += 1;
    // The pause is the pace of the attack, not a wait for a condition.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  } while (!isOver());
  return times;
}
