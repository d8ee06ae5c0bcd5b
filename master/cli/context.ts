import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';

/** Exit codes. Documented in `overworld-master --help`. */
export const exitCode = { ok: 0, failed: 1, usage: 2 } as const;

/** Output of commands. Tests replace it. */
export interface CliOutput {
  /** Prints results: one or more lines without the last line break. */
  out(text: string): void;
  /** Prints errors and hints. */
  err(text: string): void;
}

/** What all commands share. */
export interface CliContext extends CliOutput {
  /** Sets exit code 1; the command continues. */
  fail(): void;
}

/** Options that most commands have. */
export interface CommonOptions {
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly json?: boolean;
}

/** Returns the default data folder: the system's folder for service data for root, otherwise the user's own. */
export function defaultDataFolder(): string {
  return process.getuid?.() === 0
    ? '/var/lib/overworld'
    : join(homedir(), '.local', 'share', 'overworld-master');
}

export function dataOption(): Option {
  return new Option('--data <dir>', 'data folder of the master')
    .default(resolve(defaultDataFolder()))
    .argParser((value: string) => resolve(value));
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON for scripts');
}

/** Prints one JSON document for scripts. */
export function printJson(output: CliOutput, value: unknown): void {
  output.out(JSON.stringify(value, null, 2));
}
