import { execFile, execFileSync } from 'node:child_process';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program until it exits, with any exit code.
 *
 * @param options.timeoutMs time after which the program is killed (ms), so that `code` is null; default 60,000
 */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly input?: string; readonly timeoutMs?: number } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { timeout: options.timeoutMs ?? 60_000, killSignal: 'SIGKILL', maxBuffer: 64 * 1_048_576 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
    // A program may exit before it has read all of its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

/** Runs a program that makes a small change to this machine. @throws Error with its output if it fails */
export function must(program: string, args: readonly string[], input = ''): string {
  return execFileSync(program, args, {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 30_000,
  });
}
