import type { PortRange } from '../../port-range.ts';
import { code } from '../code.ts';

/** Errors of the master: its data folder, its keys and its requests. */
export const masterCodes = {
  MASTER_ALREADY_RUNNING: code<{ folder: string; pid: number }>(
    'user',
    ({ folder, pid }) =>
      `Another master (process ${pid}) uses the data folder ${folder}. Stop it first, or choose another folder with --data.`,
  ),
  MASTER_VERSION_MISMATCH: code<{ method: string; theirs: string; ours: string }>(
    'user',
    ({ method, theirs, ours }) =>
      `The running master has version ${theirs} and this command has version ${ours}, and these two versions use ${method} differently. Update the older one. Restart the master after an update.`,
  ),
  MASTER_NOT_RUNNING: code<{ folder: string }>(
    'user',
    ({ folder }) =>
      `No master is running on the data folder ${folder}. Start it with: overworld-master run --data ${folder}`,
  ),
  MASTER_UNIT_NOT_RUNNING: code<{ folder: string; unit: string; state: string }>(
    'user',
    ({ folder, unit, state }) =>
      `No master is running on the data folder ${folder}: its unit ${unit} ${state}. See why with: journalctl -u ${unit} -n 20. Start it with: systemctl start ${unit}`,
  ),
  MASTER_CONNECTION_FAILED: code<{ folder: string; why: string }>(
    'transient',
    ({ folder, why }) =>
      `The connection to the master of the data folder ${folder} failed: ${why}. Check it with: overworld-master doctor`,
    true,
  ),
  DATA_FOLDER_FORBIDDEN: code<{ folder: string; user: string }>(
    'user',
    ({ folder, user }) =>
      `This command needs ${user === 'root' ? 'root' : `the rights of ${user}, or root`}: other users may not use the data folder ${folder}. Run it with sudo.`,
  ),
  MASTER_ENDING: code<{ what: string }>(
    'transient',
    ({ what }) => `The master is shutting down, so ${what} was not changed. Try again once it is running.`,
    true,
  ),
  SSH_SERVICE_ENDED: code<{ what: string }>(
    'transient',
    ({ what }) =>
      `The SSH service of the master has ended before ${what} was complete. It starts again by itself. Try again in a few seconds.`,
    true,
  ),
  SSH_SERVICE_UNREACHABLE: code<{ path: string; why: string }>(
    'config',
    ({ path, why }) =>
      `The master cannot reach its SSH service at ${path}: ${why}. The master tries again. Look at the log of the unit overworld-ssh.`,
  ),
  LOCAL_SERVICES_UNSAFE: code<{ why: string }>(
    'config',
    ({ why }) =>
      `The master refuses to run services on its own machine, because ${why}. There are three remedies. Start the master with --no-local: services then run only on cloud nodes. If the master is installed from a package, run "overworld-master local enable": each service then runs as a user of its own. If you trust all services, start the master with --local-unsafe.`,
  ),
  LOCAL_PORTS_UNSAFE: code<{ ports: PortRange; isolated: PortRange }>(
    'config',
    ({ ports, isolated }) =>
      `The master refuses to run services on its own machine with --ports ${ports.from}-${ports.to}, because services are isolated from each other only at the ports ${isolated.from} to ${isolated.to}. Start the master with ports of this range, or without --ports.`,
  ),
  DATA_FOLDER_UNSAFE: code<{ path: string; why: string }>(
    'config',
    ({ path, why }) => `The data folder is not safe to use: ${path} ${why}.`,
  ),
  DATA_FAULTY: code<{ path: string; why: string }>(
    'internal',
    ({ path, why }) =>
      `${path} cannot be read: ${why}. It was not changed. Restore it from a backup or move it away.`,
  ),
  LISTEN_FAILED: code<{ address: string; why: string }>(
    'config',
    ({ address, why }) =>
      `The master cannot listen on ${address}: ${why}. Choose another address with --ssh-host, or another port with --ssh-port.`,
  ),
  KEY_INVALID: code<{ why: string }>(
    'user',
    ({ why }) =>
      `This is not a valid SSH public key: ${why}. Paste one line of a .pub file, beginning with ssh-ed25519, ecdsa-sha2-…, ssh-rsa or sk-….`,
  ),
  KEY_EXISTS: code<{ name: string; fingerprint: string }>(
    'user',
    ({ name, fingerprint }) => `This key (${fingerprint}) is already authorized under the name "${name}".`,
  ),
  KEY_NAME_TAKEN: code<{ name: string }>(
    'user',
    ({ name }) => `Another key has the name "${name}". Choose a different name.`,
  ),
  KEY_NOT_FOUND: code<{ key: string }>(
    'user',
    ({ key }) => `No authorized key has the name or fingerprint "${key}".`,
  ),
  KEY_NOT_LIMITABLE: code<{ role: string }>(
    'user',
    ({ role }) =>
      `A key with the role ${role} cannot be limited to templates. Use the role files or operator.`,
  ),
  SESSION_NOT_FOUND: code<{ session: string }>(
    'user',
    ({ session }) => `No session has the id "${session}". It may have ended already.`,
  ),
  KEY_LAST_OWNER: code<{ name: string }>(
    'user',
    ({ name }) =>
      `"${name}" is the last key with the role owner. Without an owner, this master can no longer be administered. Add another owner first.`,
  ),
  FORBIDDEN: code<{ method: string; role: string; needs: string }>(
    'user',
    ({ method, role, needs }) =>
      `Your key has the role ${role}, but ${method} needs ${needs}. Ask an owner of this master.`,
  ),
  PARAMS_INVALID: code<{ method: string; why: string }>(
    'user',
    ({ method, why }) => `The request ${method} was refused: ${why}.`,
  ),
  METHOD_UNKNOWN: code<{ method: string }>(
    'user',
    ({ method }) =>
      `This master does not know the request ${method}. The program that sent it has another version; update the older one.`,
  ),
  TOO_MANY: code<{ what: string; limit: number }>(
    'user',
    ({ what, limit }) => `Too many ${what} (at most ${limit}). Wait a moment or close some.`,
    true,
  ),
  TASK_CANCELLED: code<{ task: string }>(
    'user',
    ({ task }) => `${task} was cancelled. Changes made so far are kept.`,
  ),
};
