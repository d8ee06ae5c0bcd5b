import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bad, ok, warning, type Finding } from './finding.ts';
import type { MasterState } from './machine.ts';
import { SSH_UNIT, UNIT, type ServiceUnit } from './service-unit.ts';

const SHOW_TIMEOUT_MS = 3_000;

/**
 * Checks the SSH service, the process that serves SSH and files for the unit's master. Warns if the master's unit was
 * changed, but the unit of the SSH service was not. Null if the unit uses no SSH service.
 */
export async function checkSsh(master: MasterState, unit: ServiceUnit | null): Promise<Finding | null> {
  if (unit?.args.includes('--ssh-service') !== true) return null;
  const check = 'SSH';
  if (master.kind === 'running' && !master.sshReady) {
    const advice = `See why with: journalctl -u ${UNIT} -u ${SSH_UNIT} -n 20`;
    return bad(
      check,
      `The running master serves no SSH, because the unit ${SSH_UNIT} does not start.`,
      advice,
    );
  }
  const [changes, own] = [await readDropIns(UNIT), await readDropIns(SSH_UNIT)];
  if (changes === '' || own !== '') return ok(check, `The unit ${SSH_UNIT} serves SSH and files.`);
  const found = `The unit ${UNIT} was changed (${changes}), but not ${SSH_UNIT}, which serves SSH and files.`;
  const advice = `If the change is about folders, limits or the network, make it there, too: systemctl edit ${SSH_UNIT}`;
  return warning(check, found, advice);
}

/**
 * Returns the paths of a unit's drop-in files, separated by spaces. Empty if there are none, or if systemctl fails or
 * takes longer than 3 s.
 */
async function readDropIns(unit: string): Promise<string> {
  const args = ['show', `${unit}.service`, '-p', 'DropInPaths', '--value'];
  try {
    return (await promisify(execFile)('systemctl', args, { timeout: SHOW_TIMEOUT_MS })).stdout.trim();
  } catch {
    return '';
  }
}
