import { describe, expect, it } from 'vitest';
import { runLongAsUser } from '#master/cli/machine/as-user.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Runs a shell script as root. */
const run = (script: string, options: Partial<Parameters<typeof runLongAsUser>[2]> = {}) =>
  runLongAsUser('root', ['/bin/sh', '-c', script], {
    ...{ input: '', signal: new AbortController().signal, onErrorLine: () => undefined, env: {} },
    ...options,
  });

/** Returns options that interrupt the program at its first line of error output. */
function interrupted() {
  const interrupting = new AbortController();
  return { signal: interrupting.signal, onErrorLine: (): void => interrupting.abort() };
}

describe.skipIf(!isRoot)("a program that runs as the master's user (needs root on Linux)", () => {
  it('is killed with its child processes if it ignores SIGTERM', async () => {
    const script = "trap '' TERM; sleep 3600 & echo ready >&2; wait; wait";
    const { code, stderr } = await run(script, { ...interrupted(), cleanUpMs: 50 });
    expect([code, stderr]).toEqual([-1, 'ready\n']);
  });

  it('has time for its clean-up after SIGTERM', async () => {
    const script = "trap 'echo cleaned; exit 7' TERM; echo ready >&2; while :; do sleep 0.01; done";
    const { code, stdout } = await run(script, interrupted());
    expect([code, stdout]).toEqual([7, 'cleaned\n']);
  });

  it.each(['', '>&2'])('is killed if it prints more than 64 MiB (shell redirection: "%s")', async (where) => {
    const { code, stdout, stderr } = await run(`head -c 80000000 /dev/zero ${where}; exit 0`);
    expect(code).toBe(-1);
    expect(stdout.length + stderr.length).toBeLessThanOrEqual(64 * 1_048_576);
  });
});
