import { writeSync } from 'node:fs';
import type { RunOptions } from '#master/cli/commands/run.ts';
import { startMaster } from './daemon.ts';
import { limitHeapGrowth } from './heap-limit.ts';
import { createLog } from './log.ts';

/** File descriptor of standard output. */
const STDOUT = 1;

/**
 * Runs the daemon until a signal or an owner shuts it down (`overworld-master run`). After a signal, services keep
 * running.
 *
 * @throws whatever {@link startMaster} throws
 */
export async function run({ announce, ...options }: RunOptions): Promise<void> {
  const log = createLog();
  const master = await startMaster({ ...options, log });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info({ signal }, 'shutdown requested; services keep running');
      master
        .close()
        .catch((error: unknown) => log.error({ err: error }, 'the master did not shut down cleanly'));
    });
  }
  limitHeapGrowth();
  if (announce) {
    const { host, port, hostKey } = master;
    // Writes the line synchronously and completely, whatever kind of file stdout is, because the app waits for it.
    writeSync(STDOUT, `${JSON.stringify({ ready: true, host, port, hostKey, pid: process.pid })}\n`);
  }
  await master.ended;
}
