import { mustRun } from './run-program.ts';

/** Maximum time until everything has reached the disk (ms). */
const FLUSH_TIMEOUT_MS = 300_000;

/**
 * Flushes everything on the disk of a file or folder to the device, so that it survives a power failure.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function flushDisk(path: string): Promise<void> {
  await mustRun('sync', ['-f', '--', path], { timeoutMs: FLUSH_TIMEOUT_MS });
}
