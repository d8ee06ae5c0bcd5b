import { checkState } from '#master/boot/check-state.ts';
import { runCli } from '#master/cli/program.ts';

/** Output of a command. */
export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** `out` and `err` in the order in which they were printed. */
  readonly text: string;
}

type Parts = Parameters<typeof runCli>[1];

const PARTS: Parts = { run: () => Promise.resolve(), checkState };

/**
 * Runs the command line in this process. `parts` replaces the functions that it starts: `run`, which does nothing by
 * default, and `checkState`.
 */
export async function printedBy(args: readonly string[], parts: Partial<Parts> = {}): Promise<Printed> {
  let [out, err, text] = ['', '', ''];
  const output = {
    out: (line: string) => void ((out += `${line}\n`), (text += `${line}\n`)),
    err: (line: string) => void ((err += `${line}\n`), (text += `${line}\n`)),
  };
  return { code: await runCli(args, { ...PARTS, ...parts }, output), out, err, text };
}

/** Returns a function that runs the command line for a data folder, in this process. */
export function cliOf(data: string): (...args: readonly string[]) => Promise<Printed> {
  return (...args) => printedBy([...args, '--data', data]);
}
