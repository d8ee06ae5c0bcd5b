import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, SMALL } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Service } from '#shared/model/service.ts';
import type { Scope } from '../scope.ts';

/** Below the ports that systems hand out at random, and apart from those of the integration tests. */
const PORTS = { from: 27_000, to: 27_199 };

/** A JVM on a busy machine gets time. */
const START_TIMEOUT_MS = 60_000;

/** Template of all services that a benchmark starts. */
export const TEMPLATE = 'bench';

/** A real master in a process of its own with one template, the practice server; ended with the scope. */
export async function startPracticeMaster(scope: Scope): Promise<MasterProcess> {
  const master = new MasterProcess(await scope.folder(), PORTS);
  scope.add(() => master.shutDown());
  await master.start();
  // Nothing but the benchmark starts or stops its services.
  const config = { ...SMALL, minimumRunningServers: 0, killUnusedTooManyServersAfter: -1 };
  await master.call('templates.create', { id: TEMPLATE, config });
  await putJar(master, TEMPLATE);
  return master;
}

/** Waits until a service is RUNNING. @throws Error when it fails or takes too long */
export async function untilRunning(master: MasterProcess, id: string): Promise<Service> {
  return waitFor(
    async () => {
      const service = (await master.call('services.list', {})).services.find((one) => one.id === id);
      return service?.state === 'RUNNING' ? service : null;
    },
    { timeoutMs: START_TIMEOUT_MS, what: `${id} to be RUNNING` },
  );
}

/** Ends a service at once and waits until nothing of it is left. */
export async function endService(master: MasterProcess, id: string): Promise<void> {
  await master.call('services.stop', { id, kill: true });
  await waitFor(
    async () => (await master.call('services.list', {})).services.every((service) => service.id !== id),
    { what: `${id} to be gone` },
  );
}
