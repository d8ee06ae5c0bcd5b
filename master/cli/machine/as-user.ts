import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { MAX_OUTPUT_BYTES, mustRun, runProgram, type ProgramResult } from './run-program.ts';

/** Maximum time of a program that works on the master's data (ms). */
const TIMEOUT_MS = 120_000;

/** Time that a program gets to clean up after SIGTERM (ms). Hashing one large file takes some of it. */
const CLEAN_UP_MS = 60_000;

/**
 * Runs programs as the user of the master. Root must not write to folders of that user itself: a link in them could
 * lead root anywhere. The programs have no terminal, because that user could type commands into root's.
 */
export interface AsUser {
  readonly user: string;
  /** Runs a program to its end, whatever its exit code. */
  run(program: string, args: readonly string[]): Promise<ProgramResult>;
  /**
   * Runs a program that must succeed.
   *
   * @throws OverworldError COMMAND_FAILED
   */
  must(program: string, args: readonly string[]): Promise<string>;
}

/**
 * Creates {@link AsUser} for the user of the master's unit. Each program is killed after 2 minutes.
 *
 * @throws OverworldError COMMAND_FAILED if there is no such user
 */
export async function asUser(user: string): Promise<AsUser> {
  // That user could stop its own processes, and a stopped process ends only by this signal.
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

/** Returns the program that becomes a user, with its arguments. @throws OverworldError COMMAND_FAILED */
async function becoming(user: string): Promise<string[]> {
  const group = (await mustRun('id', ['-gn', user])).trim();
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups'];
}

interface LongRun {
  /** What the program reads from standard input. */
  readonly input: string;
  /** Ends the program with SIGTERM, and after {@link cleanUpMs} with SIGKILL. */
  readonly signal: AbortSignal;
  /** Receives each line of error output as it is printed. */
  readonly onErrorLine: (line: string) => void;
  /** Variables that the program gets in addition. */
  readonly env: Readonly<Record<string, string>>;
  /** By default, 60 s. */
  readonly cleanUpMs?: number;
}

/**
 * Runs a program as {@link AsUser} does, but without a time limit. If this process exits, the program gets SIGTERM. A program
 * that prints more than 64 MiB is killed.
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
  // Its session is a process group: what it has started must not survive it, nor keep its output open.
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has exited, or is not the leader of a session yet.
      child.kill('SIGKILL');
    }
  };
  const stdout = collect(child.stdout, kill);
  const stderr = collect(child.stderr, kill);
  createInterface({ input: child.stderr }).on('line', onErrorLine);
  // The program may exit before it has read everything.
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
 * Collects what a stream delivers, up to the maximum size of output.
 *
 * @param onExceeded is called if it delivers more
 * @returns function that returns the text
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
