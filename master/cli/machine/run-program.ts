import { execFile } from 'node:child_process';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Default maximum run time of a program (ms). */
const TIMEOUT_MS = 60_000;

/** Maximum size of a program's output (bytes). A large firewall ruleset has several megabytes. */
export const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/** Exit code for a program that does not exist. Shells use the same code. */
export const NOT_FOUND = 127;

/** Folders with programs for admins. In a shell that was opened with `su`, PATH may lack them. */
const ADMIN_PATH = '/usr/local/sbin:/usr/sbin:/sbin';

/** Exit code and output of a program. */
export interface ProgramResult {
  /** Exit code; 127 if the program does not exist, -1 if the program was killed or exceeded the time limit. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  readonly timeoutMs?: number;
  /** Signal that ends the program when it exceeds the time limit. */
  readonly killSignal?: NodeJS.Signals;
  /** Additional environment variables for the program. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end. Accepts every exit code. The program is set to print its messages in English, so that
 * they can be parsed. Kills the program if it runs longer than the time limit (60 s by default) or prints more than
 * 64 MiB. Never rejects.
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
    // The caller's folder may be inaccessible to the user as which the program runs.
    cwd: '/',
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:${ADMIN_PATH}`, LC_ALL: 'C', ...env },
  };
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const missing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
      resolve({ code: missing ? NOT_FOUND : (child.exitCode ?? -1), stdout, stderr });
    });
    // The program's input ends immediately, because no person could answer its questions.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end();
  });
}

/**
 * Runs a program as {@link runProgram} does. The program must exit with 0.
 *
 * @returns its standard output
 * @throws OverworldError COMMAND_FAILED with the last lines that the program printed; also if the program is not
 *   installed or exceeds its time limit
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
 * Returns the last lines that a program printed to standard error, joined to one line. If it printed nothing there,
 * uses its standard output.
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
