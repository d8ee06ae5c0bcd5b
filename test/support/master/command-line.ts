import { checkState } from '#master/boot/check-state.ts';
import { runCli } from '#master/cli/program.ts';

/** What a command has printed. */
export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Returns a function that runs the command line for a data folder, in this process. */
export function cliOf(data: string): (...args: string[]) => Promise<Printed> {
  return async (...args) => {
    let [out, err] = ['', ''];
    const output = {
      out: (text: string) => (out += `${text}\n`),
      err: (text: string) => (err += `${text}\n`),
    };
    const parts = { run: () => Promise.resolve(), checkState };
    return { code: await runCli([...args, '--data', data], parts, output), out, err };
  };
}
