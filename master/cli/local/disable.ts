import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { ACCESS_FILE } from '#master/store/machine-access.ts';
import { changeFile, readText } from '../machine/replace-file.ts';
import { mustRun } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { controlUnit, readUnitState } from '../machine/unit.ts';
import { waitUntilServing } from '../machine/wait-until-serving.ts';
import { REMOVE_FILE } from './places.ts';
import { unsavedServices } from './unsaved-services.ts';

/** Maximum time to remove users, units and files of services (ms). */
const REMOVE_TIMEOUT_MS = 300_000;

/** What `disableAccess` reads and changes on a machine. Tests replace it. */
export interface LocalNode {
  /** File that tells the master how to log in. */
  readonly accessFile: string;
  /** Script that exists as long as something is set up on the machine. */
  readonly removeFile: string;
  /** Returns the ids of services that have a process on this machine. */
  findRunning(): Promise<readonly string[]>;
  /** Returns the ids of services whose data may not be saved yet. */
  findUnsaved(): Promise<readonly string[]>;
  /** Restarts the master if it runs, and waits until it serves. */
  restartMaster(): Promise<void>;
  /** Removes the users, units and files of services. */
  remove(): Promise<void>;
}

const THIS_MACHINE: LocalNode = {
  accessFile: ACCESS_FILE,
  removeFile: REMOVE_FILE,
  findRunning: runningServices,
  findUnsaved: () => unsavedServices(),
  async restartMaster() {
    if ((await readUnitState()).active !== 'active') return;
    await controlUnit('restart');
    await waitUntilServing(SYSTEM_DATA_FOLDER);
  },
  async remove() {
    await mustRun('sh', [REMOVE_FILE], { timeoutMs: REMOVE_TIMEOUT_MS });
  },
};

/**
 * Removes everything that makes this machine a node, including the master's right to log in to it. The file that
 * tells the master how to log in is removed first. Then a running master is restarted, because it would otherwise
 * keep its connection and set the machine up again. The users, units and files of services are removed last. If the
 * master has started a service until its restart was complete, the machine stays a node.
 *
 * @throws OverworldError LOCAL_NODE_IN_USE if services run on the machine; LOCAL_NODE_UNSAVED if the data of services
 *   is not saved; COMMAND_FAILED; MASTER_SILENT
 */
export async function disableAccess(node: LocalNode = THIS_MACHINE): Promise<StepOutcome> {
  if (!existsSync(node.removeFile))
    return { status: 'unchanged', detail: 'The master cannot log in to this machine.' };
  await requireUnused(node);
  const access = await readText(node.accessFile);
  await rm(node.accessFile, { force: true });
  await node.restartMaster();
  try {
    // Before it exits, the master completes the starts of services that are in progress.
    await requireUnused(node);
  } catch (error) {
    // The master notices the file by itself, and then controls its services again.
    if (access !== '') await changeFile(node.accessFile, () => access);
    throw error;
  }
  await node.remove();
  return { status: 'done', detail: 'Removed the access of the master, and the users and units of services.' };
}

/** @throws OverworldError LOCAL_NODE_IN_USE; LOCAL_NODE_UNSAVED; COMMAND_FAILED */
async function requireUnused(node: LocalNode): Promise<void> {
  const services = await node.findRunning();
  if (services.length > 0) throw new OverworldError('LOCAL_NODE_IN_USE', { services: services.join(', ') });
  const unsaved = await node.findUnsaved();
  if (unsaved.length > 0) throw new OverworldError('LOCAL_NODE_UNSAVED', { services: unsaved.join(', ') });
}

/** Returns the ids of services that have a process on this machine. */
async function runningServices(): Promise<string[]> {
  const args = ['list-units', '--plain', '--no-legend', '--all', 'overworld@*.service'];
  const listed = await mustRun('systemctl', args);
  return [...listed.matchAll(/^overworld@(\S+)\.service\s+\S+\s+(\S+)/gm)].flatMap(([, id = '', state]) =>
    state === 'active' || state === 'activating' || state === 'deactivating' ? [id] : [],
  );
}
