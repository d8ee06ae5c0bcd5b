import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { MAX_OUTPUT_BYTES, mustRun, runProgram, type ProgramResult } from './run-program.ts';

/** Maximum run time of a program that works on the master's data (ms). */
const TIMEOUT_MS = 120_000;

/**
 * Time that a program gets for cleaning up after SIGTERM (ms). If it is hashing a large file, it first finishes this.
 */
const CLEAN_UP_MS = 60_000;

/**
 * Runs programs as the master's user. Root itself must not write to folders of this user, because a link in them
 * could lead root to any file. The programs have no terminal, because a program with one could type commands into
 * root's terminal.
 */
export interface AsUser {
  readonly user: string;
  /** Runs a program to its end. Accepts every exit code. */
  run(program: string, args: readonly string[]): Promise<ProgramResult>;
  /**
   * Runs a program that must exit with 0. Returns its standard output.
   *
   * @throws OverworldError COMMAND_FAILED
   */
  must(program: string, args: readonly string[]): Promise<string>;
}

/**
 * Creates an {@link AsUser} for the user of the master's unit. Each program is killed after 2 minutes.
 *
 * @throws OverworldError COMMAND_FAILED if there is no such user
 */
export async function asUser(user: string): Promise<AsUser> {
  // The user can suspend its own processes, and only SIGKILL ends a suspended process.
  const options = { timeoutMs: TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  if (user === 'root') {
    return {
      user,
      run: (program, args) => runProgram(program, args, options),
      must: (program, args) => mustRun(program, args, options),
    };
  }
  const become = [...(await becoming(user)), '--'];
  return {
    user,
    run: (program, args) => runProgram('setsid', [...become, program, ...args], options),
    must: (program, args) => mustRun('setsid', [...become, program, ...args], options),
  };
}

/**
 * Returns the command line that precedes a program to run it as another user. @throws OverworldError COMMAND_FAILED
 */
async function becoming(user: string): Promise<string[]> {
  const group = (await mustRun('id', ['-gn', user])).trim();
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups'];
}

interface LongRun {
  /** Text for the standard input of the program. */
  readonly input: string;
  /** When aborted, the program gets SIGTERM, and SIGKILL after {@link cleanUpMs}. */
  readonly signal: AbortSignal;
  /** Called with each line that the program prints to standard error, as soon as it is printed. */
  readonly onErrorLine: (line: string) => void;
  /** Additional environment variables for the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Time for cleaning up after SIGTERM (ms). Default: 60 s. */
  readonly cleanUpMs?: number;
}

/**
 * Runs a program as {@link AsUser} does, but without a time limit. If this process exits, the program gets SIGTERM. A
 * program that prints more than 64 MiB to one of its outputs is killed.
 *
 * @throws OverworldError COMMAND_FAILED if there is no such user; errno errors
 */
export async function runLongAsUser(
  user: string,
  [program, ...args]: readonly [string, ...string[]],
  { input, signal, onErrorLine, env, cleanUpMs = CLEAN_UP_MS }: LongRun,
): Promise<ProgramResult> {
  const become = [...(await becoming(user)), '--pdeathsig', 'TERM', '--'];
  const child = spawn('setsid', [...become, program, ...args], {
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Kills the whole process group, because processes that the program has started must neither outlive it nor keep
  // its output open.
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The program has exited, or is not the leader of a process group yet.
      child.kill('SIGKILL');
    }
  };
  const stdout = collect(child.stdout, kill);
  const stderr = collect(child.stderr, kill);
  createInterface({ input: child.stderr }).on('line', onErrorLine);
  // Ignores errors of writing, because the program may exit before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let killing: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    killing = setTimeout(kill, cleanUpMs);
  };
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? -1, stdout: stdout(), stderr: stderr() }));
    });
  } finally {
    signal.removeEventListener('abort', end);
    clearTimeout(killing);
  }
}

/**
 * Collects the output of a stream, up to {@link MAX_OUTPUT_BYTES}.
 *
 * @param onExceeded called if the stream delivers more
 * @returns a function that returns the collected text
 */
function collect(stream: Readable, onExceeded: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) onExceeded();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString();
}
