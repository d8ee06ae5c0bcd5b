import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, SMALL } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Service } from '#shared/model/service.ts';
import type { Scope } from '../scope.ts';

/** Ports of the services. They are below the ephemeral ports and differ from those of the integration tests. */
const PORTS = { from: 27_000, to: 27_199 };

/** Maximum time for the start of a JVM on a busy machine (ms). */
const START_TIMEOUT_MS = 60_000;

/** ID of the template of all services in a benchmark. */
export const TEMPLATE = 'bench';

/** Starts a real master in its own process, with a template for practice servers. The master stops with the scope. */
export async function startPracticeMaster(scope: Scope): Promise<MasterProcess> {
  const master = new MasterProcess(await scope.folder(), PORTS);
  scope.add(() => master.shutDown());
  await master.start();
  // With these settings, only the benchmark starts and stops services.
  const config = { ...SMALL, minimumRunningServers: 0, killUnusedTooManyServersAfter: -1 };
  await master.call('templates.create', { id: TEMPLATE, config });
  await putJar(master, TEMPLATE);
  return master;
}

/**
 * Waits until a service is RUNNING, and returns the service.
 *
 * @throws Error if the service fails or takes too long
 */
export async function untilRunning(master: MasterProcess, id: string): Promise<Service> {
  return waitFor(
    async () => {
      const service = (await master.call('services.list', {})).services.find((one) => one.id === id);
      return service?.state === 'RUNNING' ? service : null;
    },
    { timeoutMs: START_TIMEOUT_MS, what: `${id} to be RUNNING` },
  );
}

/** Kills a service and waits until it is removed. */
export async function endService(master: MasterProcess, id: string): Promise<void> {
  await master.call('services.stop', { id, kill: true });
  await waitFor(
    async () => (await master.call('services.list', {})).services.every((service) => service.id !== id),
    { what: `${id} to be gone` },
  );
}
