import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '#shared/rpc/contract.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { withMaster } from '../client.ts';
import { sshAddressOf, type SshAddress } from '../machine/options-file.ts';
import { runProgram } from '../machine/run-program.ts';
import { PROGRAM_FOLDER } from './program.ts';
import { USER } from './system.ts';

/** Facts about how a running master was started. */
export interface ProcessFacts {
  /** Path of the Node.js program of the process. It ends with ` (deleted)` if the program was replaced. */
  readonly program: string;
  readonly address: SshAddress;
  /** Ids of the groups to which the process belongs. */
  readonly groups: readonly number[];
  readonly communication: Result<'config.get'>['running'];
}

/**
 * Returns why a running master must be restarted to use the current set-up of the machine. Null if no restart is
 * needed.
 *
 * @param running facts about the running master
 * @param wanted facts about a master that would be started now; its groups are only those that the master needs
 */
export function findOutdated(running: ProcessFacts, wanted: ProcessFacts): string | null {
  if (running.program !== wanted.program) return 'its program was replaced';
  if (running.address.port !== wanted.address.port) return 'its SSH port has changed';
  if (running.address.host !== wanted.address.host) return 'its SSH address has changed';
  const [before, now] = [running.communication, wanted.communication];
  if (before.hostname !== now.hostname || before.port !== now.port) return 'communication has changed';
  if (wanted.groups.some((group) => !running.groups.includes(group))) return 'its user was added to a group';
  return null;
}

/**
 * Returns why the running master must be restarted to use everything that is set up. Null if no restart is needed.
 */
export async function whyRestart(pid: number, address: SshAddress): Promise<string | null> {
  const { running, config } = await withMaster(SYSTEM_DATA_FOLDER, (master) => master.call('config.get', {}));
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const facts = {
    program: await readlink(`/proc/${pid}/exe`),
    address: sshAddressOf(line.split('\0')),
    groups: numbersOf(/^Groups:(.*)$/m.exec(status)?.[1] ?? ''),
    communication: running,
  };
  const groups = await runProgram('id', ['-G', USER]);
  return findOutdated(facts, {
    program: await realpath(join(PROGRAM_FOLDER, 'bin/node')),
    address,
    // The first group is the user's own group, which each process of the user has.
    groups: numbersOf(groups.stdout).slice(1),
    communication: config.communication,
  });
}

function numbersOf(text: string): number[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(Number);
}
