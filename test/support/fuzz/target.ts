import fc from 'fast-check';
import { collectGarbage } from '../collect-garbage.mjs';

/** Code that reads input of hostile senders, together with checks that each input must pass. */
export interface FuzzTarget {
  readonly name: string;
  /** Number of runs for each change, and in the nightly run. A run is one input, or a session with many inputs. */
  readonly runs: { readonly change: number; readonly night: number };
  /** Maximum average time of a run on a busy machine (ms). */
  readonly msPerRun: number;
  /** Maximum growth of the memory in use, with each number of inputs (MB = 2^20 bytes). */
  readonly mostGrowthMb: number;
  open(): OpenFuzzTarget | Promise<OpenFuzzTarget>;
}

/** Target that is open. */
export interface OpenFuzzTarget {
  /** Tries random inputs. Throws an Error with the shortest input for which a check fails. */
  readonly fuzz: Fuzz;
  /** Number of inputs so far, such as packets. Missing if each run is one input. */
  readonly inputs?: () => number;
  /** Closes the target. Throws if a check of the whole target fails, for example because it blocked for too long. */
  close?(): void | Promise<void>;
}

/** Fuzzes, and returns the number of runs. */
type Fuzz = (options: FuzzOptions) => Promise<number>;
type FuzzOptions = Pick<fc.Parameters<unknown>, 'numRuns' | 'plugins' | 'endOnFailure'>;

/** Returns a fuzzer. `check` throws if the target behaves wrongly for an input. */
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
    // If the time limit interrupts fast-check, the last run still continues.
    await last;
    return runs;
  };
}

/** Limit of a fuzzing: a number of runs, or a time. */
export type FuzzLimit = { readonly runs: number } | { readonly seconds: number };

export interface FuzzResult {
  readonly inputs: number;
  readonly seconds: number;
  /** Growth of the memory that this process has in use (MB). */
  readonly grownMb: number;
}

/** More runs than fit into a time limit. */
const ENDLESS = 1_000_000_000;

/**
 * Fuzzes a target. With a time limit, does not search for a shorter input after a failure.
 *
 * @throws Error with the input for which a check fails, or if the memory grows by more than its limit
 */
export async function runFuzz(target: FuzzTarget, limit: FuzzLimit): Promise<FuzzResult> {
  // Collect garbage only before and after the runs, because targets may measure how long they block the event loop.
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
    // Ignore an error of `close`, because the input for which a check fails is more useful.
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

/** Collects garbage, and returns the memory in use (MB). */
function usedMb(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}
