import { execFile } from 'node:child_process';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Default maximum run time of a program (ms). */
const TIMEOUT_MS = 60_000;

/** Maximum size of the output (bytes). A large ruleset of a firewall has some megabytes. */
export const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/** Exit code of a program that does not exist, as in shells. */
const NOT_FOUND = 127;

/** Folders of programs for admins. A shell that was opened with `su` may lack them. */
const ADMIN_PATH = '/usr/local/sbin:/usr/sbin:/sbin';

/** How a program has ended, and what it printed. */
export interface ProgramResult {
  /** Exit code; 127 if there is no such program, -1 if it was killed or exceeded the time limit. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  readonly timeoutMs?: number;
  /** Signal that ends the program at the time limit. */
  readonly killSignal?: NodeJS.Signals;
  /** Variables that the program gets in addition. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end, whatever its exit code. Its messages are in English, so that they can be parsed. Never
 * rejects; a program that runs longer than the time limit (60 s by default) or prints more than 64 MiB is killed.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs = TIMEOUT_MS, killSignal = 'SIGTERM', env = {} }: ProgramOptions = {},
): Promise<ProgramResult> {
  const options = {
    timeout: timeoutMs,
    killSignal,
    maxBuffer: MAX_OUTPUT_BYTES,
    // The caller's folder may be closed to the user that the program becomes.
    cwd: '/',
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:${ADMIN_PATH}`, LC_ALL: 'C', ...env },
  };
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const missing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
      resolve({ code: missing ? NOT_FOUND : (child.exitCode ?? -1), stdout, stderr });
    });
    // The program cannot ask questions, because no person would answer them.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end();
  });
}

/**
 * Runs a program as {@link runProgram} does, which must exit with 0.
 *
 * @returns its standard output
 * @throws OverworldError COMMAND_FAILED with its last lines, also if it is not installed or exceeds its time limit
 */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const result = await runProgram(program, args, options);
  if (result.code === 0) return result.stdout;
  throw new OverworldError('COMMAND_FAILED', {
    command: [program, ...args].join(' '),
    why: lastLines(result, 3).replace(/\.$/, '') || `it ended with exit code ${result.code}`,
  });
}

/**
 * Returns the last lines of what a program printed, joined to one line: those of its error output, or of its standard
 * output if that is empty.
 */
export function lastLines({ code, stdout, stderr }: ProgramResult, count: number): string {
  if (code === NOT_FOUND) return 'this program is not installed';
  const text = stderr.trim() === '' ? stdout : stderr;
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-count)
    .join(' ');
}
