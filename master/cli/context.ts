import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';

/** How a command ended. Documented in `overworld-master --help`. */
export const exitCode = { ok: 0, failed: 1, usage: 2 } as const;

/** Where commands write to; tests look there. */
export interface CliOutput {
  /** Results, one or more lines without the last line break. */
  out(text: string): void;
  /** Errors and hints. */
  err(text: string): void;
}

/** What all commands share. */
export interface CliContext extends CliOutput {
  /** Marks the call as failed though it goes on: exit code 1. */
  fail(): void;
}

/** Options that most commands have. */
export interface CommonOptions {
  /** Absolute. */
  readonly data: string;
  readonly json?: boolean;
}

/** The system's place for services' data when run as root, else the user's own. */
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

/** Prints JSON as scripts want it: one document. */
export function printJson(output: CliOutput, value: unknown): void {
  output.out(JSON.stringify(value, null, 2));
}
