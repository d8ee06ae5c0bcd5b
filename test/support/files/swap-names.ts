import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Swaps two names atomically and without end, each time after a random pause, so that a swap meets every step. */
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

/** What {@link swapNames} swaps. */
export interface Swap {
  /** Folder with both names. */
  readonly folder: string;
  readonly names: readonly [string, string];
  /** Longest time between two swaps (ms). */
  readonly pauseMs?: number;
  /** Nothing is swapped while this path does not exist. Default: the folder. */
  readonly whileExists?: string;
}

/**
 * Begins to swap two names in a process of its own, like an attacker who wants to exchange a file between a check and
 * its use. Each name belongs to its first owner about half of the time. Ends with the test. Linux only.
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
