import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { ACCESS_FILE } from '#master/store/machine-access.ts';
import { mustRun } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { controlUnit, readUnitState } from '../machine/unit.ts';
import { waitUntilServing } from '../machine/wait-until-serving.ts';
import { REMOVE_FILE } from './places.ts';
import { unsavedServices } from './unsaved-services.ts';

/** Maximum time to remove users, units and files of services (ms). */
const REMOVE_TIMEOUT_MS = 300_000;

/**
 * Removes everything that makes this machine a node, including the master's right to log in to it. The file that
 * tells the master how to log in is removed first. Then a running master is restarted, because it would otherwise set
 * the machine up again. The users, units and files of services are removed last.
 *
 * @throws OverworldError LOCAL_NODE_IN_USE if services run on the machine; LOCAL_NODE_UNSAVED if the data of services
 *   is not saved; COMMAND_FAILED; MASTER_SILENT
 */
export async function disableAccess(): Promise<StepOutcome> {
  if (!existsSync(REMOVE_FILE))
    return { status: 'unchanged', detail: 'The master cannot log in to this machine.' };
  const services = await runningServices();
  if (services.length > 0) throw new OverworldError('LOCAL_NODE_IN_USE', { services: services.join(', ') });
  const unsaved = await unsavedServices();
  if (unsaved.length > 0) throw new OverworldError('LOCAL_NODE_UNSAVED', { services: unsaved.join(', ') });
  await rm(ACCESS_FILE, { force: true });
  if ((await readUnitState()).active === 'active') {
    // Without a restart, a running master keeps its connection and would set the machine up again.
    await controlUnit('restart');
    await waitUntilServing(SYSTEM_DATA_FOLDER);
  }
  await mustRun('sh', [REMOVE_FILE], { timeoutMs: REMOVE_TIMEOUT_MS });
  return { status: 'done', detail: 'Removed the access of the master, and the users and units of services.' };
}

/** Returns the ids of services that have a process on this machine. */
async function runningServices(): Promise<string[]> {
  const args = ['list-units', '--plain', '--no-legend', '--all', 'overworld@*.service'];
  const listed = await mustRun('systemctl', args);
  return [...listed.matchAll(/^overworld@(\S+)\.service\s+\S+\s+(\S+)/gm)].flatMap(([, id = '', state]) =>
    state === 'active' || state === 'activating' || state === 'deactivating' ? [id] : [],
  );
}
