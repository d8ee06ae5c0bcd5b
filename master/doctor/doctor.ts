import { masterConfigSchema } from '#shared/config/master.ts';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { findMasterProcess } from '#master/store/lease.ts';
import { readDocumentFile } from '#master/store/read-document.ts';
import { join } from 'node:path';
import { checkBackup } from './backup.ts';
import { checkBalancer } from './balancer.ts';
import { bad, ok, type Finding } from './finding.ts';
import { checkAddress, checkPort, countCloudNodes } from './link.ts';
import { checkClock, checkDisk, checkJava, type MasterState } from './machine.ts';
import { checkProvider } from './provider.ts';
import { checkLocalServices, checkNode, checkRights, compareUsers, type MasterService } from './service.ts';
import { checkOwnMachine } from './own-machine.ts';
import { readUnit } from './service-unit.ts';
import { checkSsh } from './ssh.ts';

export interface DoctorOptions {
  /** Existing data folder of the master. */
  readonly data: string;
  readonly master: MasterState;
  /** Address of the provider's API. Default: the provider's real address. */
  readonly providerUrl?: string | undefined;
}

/**
 * Checks the environment of a master, one subject after the other. Changes nothing. If the master configuration is
 * not valid, the remaining checks are left out. (The command `check` finds mistakes in the master's own files.)
 */
export async function* examine({ data, master, providerUrl }: DoctorOptions): AsyncGenerator<Finding> {
  const reading = await readDocumentFile(masterConfigSchema, join(dataFolderAt(data).config, 'master.json'));
  yield await checkDisk(data);
  yield await checkClock();
  const service = await findService(data);
  yield await checkBackup(data, service.unit, Date.now());
  yield await checkNode(service);
  yield await checkRights(data, service);
  yield await checkJava(master, service.unit);
  const ssh = await checkSsh(master, service.unit);
  if (ssh !== null) yield ssh;
  if (reading.kind === 'faulty') {
    yield bad('configuration', 'The master configuration is not valid.', 'Run: overworld-master check');
    return;
  }
  const config = reading.kind === 'ok' ? reading.value : masterConfigSchema.parse({});
  yield ok(
    'configuration',
    reading.kind === 'ok'
      ? 'It is valid.'
      : 'There is no master configuration yet, so the defaults are used.',
  );
  const local =
    checkLocalServices(service.unit, config.provider.api_token !== NO_API_TOKEN) ??
    (await checkOwnMachine(service.unit));
  if (local !== null) yield local;
  yield checkAddress(config, await countCloudNodes(data));
  yield await checkPort(config, { data, isMasterRunning: master.kind !== 'none' });
  const balancer = await checkBalancer(config, data);
  yield* balancer;
  // A single finding means that HAProxy is not installed, so its rights need no check.
  const other = balancer.length > 1 ? compareUsers(service) : null;
  if (other !== null) yield other;
  yield* await checkProvider(config, providerUrl);
}

/** Finds the process and the unit of the master that uses a data folder. Ignores a unit for another data folder. */
async function findService(data: string): Promise<MasterService> {
  const unit = await readUnit();
  const isOurs = unit !== null && (unit.data === null || unit.data === data);
  return { unit: isOurs ? unit : null, pid: await findMasterProcess(data) };
}
