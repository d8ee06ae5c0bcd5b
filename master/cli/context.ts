import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { DATA_VARIABLE, SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { ownDataFolder } from './data-folder.ts';

/** Exit codes. Documented in `overworld-master --help`. */
export const exitCode = { ok: 0, failed: 1, usage: 2 } as const;

/** Output functions of commands. Tests replace them. */
export interface CliOutput {
  /** Prints a result of one or more lines. Adds the last line break itself. */
  out(text: string): void;
  /** Prints errors and hints. */
  err(text: string): void;
}

/** Functions and output that all commands share. */
export interface CliContext extends CliOutput {
  /** Sets exit code 1. The command may continue after this call. */
  fail(): void;
}

/** Options that most commands have. */
export interface CommonOptions {
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly json?: boolean;
}

/** Defines the option for the data folder of an existing master. The default is determined when the command runs. */
export function dataOption(
  description = "data folder of the master (default: the folder of this machine's master)",
): Option {
  const option = new Option('--data <dir>', description).argParser((value: string) =>
    resolve(parseNotEmpty(value)),
  );
  // A variable that is empty counts as not set.
  return process.env[DATA_VARIABLE] === '' ? option : option.env(DATA_VARIABLE);
}

/**
 * Rejects an empty argument, which usually comes from a variable of a script that is not set.
 *
 * @throws InvalidArgumentError
 */
export function parseNotEmpty(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** Defines the option for the data folder of a master, which does not have to exist yet. */
export function ownDataOption(): Option {
  return dataOption('data folder of the master').default(
    resolve(ownDataFolder()),
    `${SYSTEM_DATA_FOLDER} for root, otherwise a folder of the user`,
  );
}

/** Defines `--json`. `what` describes in a few words what the JSON document contains. */
export function jsonOption(what: string): Option {
  return new Option('--json', `print JSON: ${what}`);
}

/** Prints one JSON document on one line, for output that consists of an unlimited number of documents. */
export function printJsonLine(output: CliOutput, value: unknown): void {
  output.out(JSON.stringify(value));
}

/**
 * Creates a parser for a number of lines or items.
 *
 * @throws InvalidArgumentError
 */
export function countParser(max: number, min = 1): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (/^\d{1,6}$/.test(text) && count >= min && count <= max) return count;
    throw new InvalidArgumentError(`It must be ${min} to ${max}.`);
  };
}

/** Prints one JSON document for scripts. */
export function printJson(output: CliOutput, value: unknown): void {
  output.out(JSON.stringify(value, null, 2));
}
