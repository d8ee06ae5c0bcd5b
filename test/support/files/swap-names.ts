import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/**
 * Python program that swaps two names atomically, again and again. It pauses for a random time after each swap, so
 * that swaps happen at each step of the code under test.
 */
const ATTACKER = `
import ctypes, os, random, sys, time
renameat2 = ctypes.CDLL(None).renameat2
folder, one, other, longest_pause, needed = sys.argv[1:]
one, other = (os.path.join(folder, name).encode() for name in (one, other))
def swap():
    renameat2(-100, one, -100, other, 2)
    time.sleep(random.random() * float(longest_pause))
print('swaps', flush=True)
while True:
    if os.path.exists(needed):
        swap()
        swap()
`;

/** Parameters of {@link swapNames}. */
export interface Swap {
  /** Folder that contains both names. */
  readonly folder: string;
  readonly names: readonly [string, string];
  /** Maximum time between two swaps (ms). */
  readonly pauseMs?: number;
  /** The names are swapped only while this path exists. Default: the folder. */
  readonly whileExists?: string;
}

/**
 * Starts a process that swaps two names, like an attacker who wants to exchange a file between a check and its use.
 * The names are swapped about half of the time. The process ends with the test. Linux only.
 */
export async function swapNames({ folder, names, pauseMs = 2, whileExists = folder }: Swap): Promise<void> {
  const attacker = spawn(
    'python3',
    ['-c', ATTACKER, folder, ...names, String(pauseMs / 1_000), whileExists],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void attacker.kill('SIGKILL'));
  await once(attacker.stdout, 'data');
}
