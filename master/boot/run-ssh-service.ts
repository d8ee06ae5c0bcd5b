import { serveMaster } from '#master/admin/ssh-service/service-side/serve-master.ts';
import { limitHeapGrowth } from './heap-limit.ts';
import { createLog } from './log.ts';

/**
 * First argument of the program that runs the SSH service. The second argument is the path of the service's socket.
 */
export const SSH_SERVICE_COMMAND = 'ssh-service';

/** Runs the SSH service for one master, and then exits the process. Errors are logged. */
export async function runSshService(socket: string): Promise<void> {
  const log = createLog();
  limitHeapGrowth();
  try {
    await serveMaster(socket, log);
    log.info('the master has disconnected');
  } catch (error) {
    log.fatal({ err: error }, 'the SSH service did not start');
    process.exitCode = 1;
  }
  // Exits the process, so that nothing continues for a master that has disconnected.
  process.exit();
}
