import { serveMaster } from '#master/admin/ssh-service/service-side/serve-master.ts';
import { keepHeapRoom } from './heap-limit.ts';
import { createLog } from './log.ts';

/**
 * Runs the SSH service for one master (`overworld-master ssh-service`), and then ends the process.
 *
 * @throws OverworldError LISTEN_FAILED
 */
export async function runSshService({ socket }: { readonly socket: string }): Promise<void> {
  const log = createLog();
  keepHeapRoom();
  await serveMaster(socket, log);
  log.info('the master has disconnected');
  // Sessions of the master that has disconnected must not go on.
  process.exit();
}
