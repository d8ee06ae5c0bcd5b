import { nightly } from '#test/lab/kit/nightly.ts';
import { runFuzz, type FuzzTarget } from './target.ts';

/**
 * Returns the number of random cases that a fuzzer tries: few for each change, and many in the nightly run
 * (`OVERWORLD_NIGHTLY=1`).
 */
export function runs(each: { readonly change: number; readonly night: number }): number {
  return nightly ? each.night : each.change;
}

/**
 * Fuzzes a target with the number of runs for a change or for the nightly run.
 *
 * @returns the number of inputs
 * @throws Error with the input for which the target is wrong
 */
export async function fuzzInTest(target: FuzzTarget): Promise<number> {
  const { inputs, seconds, grownMb } = await runFuzz(target, { runs: runs(target.runs) });
  if (nightly) {
    const took = `${seconds.toFixed(0)} s, memory ${grownMb >= 0 ? '+' : ''}${grownMb.toFixed(0)} MB`;
    process.stdout.write(`${target.name}: ${inputs} inputs in ${took}\n`);
  }
  return inputs;
}

/** Maximum average time of a round of a race on a busy machine (ms). */
const MS_PER_ROUND = 300;

/**
 * Returns Vitest's options for a test with this number of rounds of a race: a time limit that depends on the number.
 */
export function timeoutForRounds(rounds: number): { readonly timeout: number } {
  return { timeout: 300_000 + MS_PER_ROUND * rounds };
}

/** Maximum time to open and close a target, including a few runs, on a very busy machine (ms). */
const OPENING_MS = 600_000;

/** Returns Vitest's options for a test that fuzzes this target: a time limit that depends on the number of runs. */
export function timeoutFor(target: FuzzTarget): { readonly timeout: number } {
  return { timeout: OPENING_MS + target.msPerRun * runs(target.runs) };
}
