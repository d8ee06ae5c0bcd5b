import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { ACCESS_FILE, readMachineAccess } from '#master/store/machine-access.ts';
import { bad, ok, type Finding } from './finding.ts';
import { UNIT, type ServiceUnit } from './service-unit.ts';

const CHECK = 'local services';
const AGAIN = 'Run: overworld-master local enable';
const TIMEOUT_MS = 3_000;

/**
 * Checks whether the master can run each service on its own machine as a separate user (docs/adr/0051). Null if there
 * is no unit, or if the machine is not set up for this.
 */
export async function checkOwnMachine(unit: ServiceUnit | null): Promise<Finding | null> {
  if (unit === null) return null;
  let access;
  try {
    access = await readMachineAccess(ACCESS_FILE);
  } catch (error) {
    return bad(CHECK, toOverworldError(error).message, AGAIN);
  }
  if (access === null) return null;
  if (unit.isLocal || !unit.args.includes('--local-access')) {
    const found = `This machine is set up for services with users of their own, but the unit ${UNIT} does not use that.`;
    return bad(CHECK, found, `Add to the unit: --no-local --local-access ${ACCESS_FILE}`);
  }
  if (!(await answers(access.sshPort))) {
    const found = `The SSH server for the master on 127.0.0.1, port ${access.sshPort}, does not answer.`;
    return bad(CHECK, found, `${AGAIN}. See why with: journalctl -u overworld-node-ssh -n 20`);
  }
  const java = (await hasProgram('java')) ? '' : ' Java is missing; the master tries to install it.';
  return ok(CHECK, `They run as users of their own, and the master can log in as root.${java}`);
}

/** Returns whether an SSH server answers at a port of the loopback address. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: TIMEOUT_MS });
    const end = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('data', end(true));
    for (const event of ['error', 'timeout', 'close'] as const) socket.once(event, end(false));
  });
}

async function hasProgram(name: string): Promise<boolean> {
  try {
    await promisify(execFile)('sh', ['-c', `command -v ${name}`], { timeout: TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}
