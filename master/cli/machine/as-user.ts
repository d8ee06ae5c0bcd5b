import { mustRun, runProgram, type ProgramResult } from './run-program.ts';

/** Maximum time of a program that works on the master's data (ms). */
const TIMEOUT_MS = 120_000;

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
  const group = (await mustRun('id', ['-gn', user])).trim();
  const become = ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--init-groups', '--'];
  return {
    user,
    run: (program, args) => runProgram('setsid', [...become, program, ...args], options),
    must: (program, args) => mustRun('setsid', [...become, program, ...args], options),
  };
}
