import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Maximum time of a transfer on a slow and busy machine (ms). */
const TIMEOUT_MS = 180_000;

/**
 * Runs a program in the C locale until it exits.
 *
 * @returns its stdout and stderr
 * @throws Error with the end of the program's output if the program fails
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { input = '', env = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const child = spawn(program, args, { timeout: TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C', ...env } });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  // A program that exits without reading its stdin breaks the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} exited with ${code}: ${output.slice(-500)}`);
  return output;
}
