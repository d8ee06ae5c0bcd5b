import fc from 'fast-check';
import { collectGarbage } from '../collect-garbage.mjs';

/** Something that reads what hostile senders send, with what it must do for every input. */
export interface FuzzTarget {
  readonly name: string;
  /** Number of runs for each change, and at night. A run has one input, or a session with many. */
  readonly runs: { readonly change: number; readonly night: number };
  /** Time that a run takes at most, on average on a busy machine (ms). */
  readonly msPerRun: number;
  /** Memory in use by which the process may grow, whatever the number of inputs (MB = 2^20 bytes). */
  readonly mostGrowthMb: number;
  open(): OpenFuzzTarget | Promise<OpenFuzzTarget>;
}

/** A target that runs. */
export interface OpenFuzzTarget {
  /** Tries random inputs. Throws an Error with the shortest input for which the target is wrong. */
  readonly fuzz: Fuzz;
  /** Number of inputs so far, such as packets, if it is not the number of runs. */
  readonly inputs?: () => number;
  /** Stops everything. Throws if the target as a whole was wrong, such as blocked for too long. */
  close?(): void | Promise<void>;
}

/** Returns the number of runs. */
type Fuzz = (options: FuzzOptions) => Promise<number>;
type FuzzOptions = Pick<fc.Parameters<unknown>, 'numRuns' | 'plugins' | 'endOnFailure'>;

/** Returns a fuzzer: `check` throws if the target is wrong for an input. */
export function fuzzer<T>(arbitrary: fc.Arbitrary<T>, check: (input: T) => void | Promise<void>): Fuzz {
  return async (options) => {
    let runs = 0;
    let last = Promise.resolve();
    const run = async (input: T): Promise<void> => {
      runs += 1;
      await check(input);
    };
    const property = fc.asyncProperty(arbitrary, (input) => (last = run(input)));
    await fc.assert(property, options);
    // A time limit does not wait for the last run.
    await last;
    return runs;
  };
}

/** How long to fuzz: a number of runs, or a time. */
export type FuzzLimit = { readonly runs: number } | { readonly seconds: number };

export interface FuzzResult {
  readonly inputs: number;
  readonly seconds: number;
  /** Growth of the memory that this process has in use (MB). */
  readonly grownMb: number;
}

/** More runs than any time limit allows. */
const ENDLESS = 1_000_000_000;

/**
 * Fuzzes a target. Does not look for a shorter input after a failure if the time is limited.
 *
 * @throws Error with the input for which the target is wrong, or if its memory grew by more than it may
 */
export async function runFuzz(target: FuzzTarget, limit: FuzzLimit): Promise<FuzzResult> {
  // Garbage is collected only before and afterwards, because targets may measure how long they block the event loop.
  const before = usedMb();
  const open = await target.open();
  const began = performance.now();
  let runs: number;
  try {
    runs = await open.fuzz(
      'runs' in limit
        ? { numRuns: limit.runs }
        : {
            numRuns: ENDLESS,
            plugins: [fc.interruptAfterTimeLimit(limit.seconds * 1_000)],
            endOnFailure: true,
          },
    );
  } catch (error) {
    // The input for which the target is wrong says more than what is wrong afterwards.
    await Promise.resolve(open.close?.()).catch(() => undefined);
    throw error;
  }
  const seconds = (performance.now() - began) / 1_000;
  await open.close?.();
  const grownMb = usedMb() - before;
  if (grownMb > target.mostGrowthMb)
    throw new Error(`the memory grew by ${grownMb.toFixed(0)} MB, more than ${target.mostGrowthMb}`);
  return { inputs: open.inputs?.() ?? runs, seconds, grownMb };
}

/** Returns the memory in use, without what only awaits garbage collection (MB). */
function usedMb(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}
