import { writeSync } from 'node:fs';
import type { RunOptions } from '#master/cli/commands/run.ts';
import { startMaster } from './daemon.ts';
import { keepHeapRoom } from './heap-limit.ts';
import { createLog } from './log.ts';

/** File descriptor of standard output. */
const STDOUT = 1;

/**
 * `overworld-master run`: the daemon until it is asked to end, by a signal or by an owner. Services live on.
 *
 * @throws whatever {@link startMaster} throws
 */
export async function run({ announce, ...options }: RunOptions): Promise<void> {
  const log = createLog();
  const master = await startMaster({ ...options, log });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info({ signal }, 'asked to end; services live on');
      master.close().catch((error: unknown) => log.error({ err: error }, 'the master did not end cleanly'));
    });
  }
  keepHeapRoom();
  if (announce) {
    const { host, port, hostKey } = master;
    // At once and whole, whatever stdout is: the app waits for this line.
    writeSync(STDOUT, `${JSON.stringify({ ready: true, host, port, hostKey, pid: process.pid })}\n`);
  }
  await master.ended;
}
