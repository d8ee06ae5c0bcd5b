import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { readUnit, SYSTEM_DATA_FOLDER, UNIT } from '#master/doctor/service-unit.ts';
import { areIsolated, ISOLATED_PORTS } from '#shared/port-range.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { ACCESS_FILE, ACCESS_FOLDER, readMachineAccess } from '#master/store/machine-access.ts';
import { aptInstall } from '../machine/apt-install.ts';
import { asUser } from '../machine/as-user.ts';
import { portsOf } from '../machine/options-file.ts';
import { changeFile } from '../machine/replace-file.ts';
import { mustRun, runProgram } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { readStartLine } from '../machine/unit.ts';
import {
  AUTHORIZED_KEYS_FILE,
  FOREIGN_NODE_FILE,
  HOST_KEY_FILE,
  REMOVE_FILE,
  SSH_UNIT,
  SSH_UNIT_FILE,
  SSHD_CONFIG_FILE,
} from './places.ts';
import { REMOVE_SCRIPT } from './remove-script.ts';
import { authorizedLine, ownSshdConfig, sshUnitText } from './ssh-server.ts';

/** Range of ports for the SSH server. They are tried in ascending order. */
const PORTS = { from: 2122, to: 2199 };

const SSHD = '/usr/sbin/sshd';

/**
 * Lets the master log in to this machine as root, so that it can run each service as a separate user. The login uses
 * a separate SSH server that listens on loopback only. A running master notices the change by itself. Existing files
 * are changed only if their content is wrong.
 *
 * @throws OverworldError MACHINE_UNSUITABLE, LOCAL_PORTS_UNSAFE, COMMAND_FAILED
 */
export async function enableAccess(): Promise<StepOutcome> {
  const before = await readMachineAccess(ACCESS_FILE);
  await requireUsable(before === null);
  const changes = [await ensurePython()];
  await mkdir(ACCESS_FOLDER, { recursive: true, mode: 0o755 });
  changes.push(await changeFile(REMOVE_FILE, () => REMOVE_SCRIPT));
  await chmod(REMOVE_FILE, 0o755);
  changes.push(await ensureHostKey());
  const key = await readMasterKey();
  changes.push(await changeFile(AUTHORIZED_KEYS_FILE, () => authorizedLine(key)));
  const sshPort = before?.sshPort ?? (await freePort());
  const isServerNew = [
    await changeFile(SSHD_CONFIG_FILE, () => ownSshdConfig(sshPort)),
    await changeFile(SSH_UNIT_FILE, () => sshUnitText(SSHD)),
  ].includes(true);
  const isChanged = isServerNew || changes.includes(true);
  await mustRun(SSHD, ['-t', '-f', SSHD_CONFIG_FILE]);
  await startServer(isChanged);
  const hostKey = await readFingerprint();
  // This file is written last, because the master connects as soon as it finds the file.
  const access = `${JSON.stringify({ sshPort, hostKey }, null, 2)}\n`;
  const isAccessNew = await changeFile(ACCESS_FILE, () => access);
  return {
    status: isChanged || isAccessNew ? 'done' : 'unchanged',
    detail: `The master can log in to this machine as root (127.0.0.1, port ${sshPort}).`,
  };
}

/** @param isNew whether this machine is not a node of its master yet */
async function requireUsable(isNew: boolean): Promise<void> {
  if (existsSync(FOREIGN_NODE_FILE)) {
    throw unsuitable(
      'it is a cloud node of a master, and would be one twice',
      'Use a server that no master has ordered.',
    );
  }
  if (!existsSync(SSHD)) {
    throw unsuitable('it has no OpenSSH server', 'Install it: apt-get install openssh-server');
  }
  const args = (await readUnit())?.args ?? [];
  if (!args.includes('--no-local') || !args.includes('--local-access')) {
    throw unsuitable(
      `the unit ${UNIT} was changed, and starts the master without --no-local and --local-access ${ACCESS_FILE}`,
      `Undo the change (systemctl revert ${UNIT}), or add these options.`,
    );
  }
  // With such ports, the next start of the master would fail.
  const ports = portsOf(await readStartLine());
  if (ports !== null && !areIsolated(ports))
    throw new OverworldError('LOCAL_PORTS_UNSAFE', { ports, isolated: ISOLATED_PORTS });
  const processes = await readdir(dataFolderAt(SYSTEM_DATA_FOLDER).services).catch(() => []);
  if (isNew && processes.length > 0) {
    throw unsuitable(
      `services of the master's own user are on it (${processes.join(', ')})`,
      'Stop them first, with a master that was started with --local-unsafe.',
    );
  }
}

/**
 * Installs Python if it is missing, because a program that Overworld runs on each node needs it. Returns whether
 * Python was missing.
 */
async function ensurePython(): Promise<boolean> {
  const found = await runProgram('python3', ['-I', '-c', 'import json, shutil, hashlib']);
  if (found.code === 0) return false;
  await aptInstall(['python3']);
  return true;
}

async function ensureHostKey(): Promise<boolean> {
  if (existsSync(HOST_KEY_FILE)) return false;
  await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'overworld-node', '-f', HOST_KEY_FILE]);
  return true;
}

/** Reads the public key of the master for logins to nodes. Uses the rights of the master's user. */
async function readMasterKey(): Promise<string> {
  const path = join(dataFolderAt(SYSTEM_DATA_FOLDER).config, 'node_key');
  const master = await asUser((await readUnit())?.user ?? 'root');
  const line = (await master.must('ssh-keygen', ['-y', '-f', path])).trim();
  if (!/^ssh-ed25519 [A-Za-z0-9+/=]{40,100}( [^\n]*)?$/.test(line)) {
    throw new OverworldError('DATA_FAULTY', { path, why: 'it is not an ed25519 key' });
  }
  return line;
}

async function readFingerprint(): Promise<string> {
  const [, blob = ''] = (await readFile(`${HOST_KEY_FILE}.pub`, 'utf8')).split(' ');
  return fingerprintOf(Buffer.from(blob, 'base64'));
}

/** Starts the SSH server now and at each boot. @param isChanged whether the server must load changed files */
async function startServer(isChanged: boolean): Promise<void> {
  if (isChanged) await mustRun('systemctl', ['daemon-reload']);
  await mustRun('systemctl', ['enable', '--quiet', SSH_UNIT]);
  await mustRun('systemctl', [isChanged ? 'restart' : 'start', SSH_UNIT]);
}

/** Returns the first port on loopback that no program uses. */
async function freePort(): Promise<number> {
  for (let port = PORTS.from; port <= PORTS.to; port++) if (await isFree(port)) return port;
  throw unsuitable(
    `the ports ${PORTS.from} to ${PORTS.to} of 127.0.0.1 are in use`,
    'Stop one of the programs that use them.',
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function unsuitable(why: string, advice: string): OverworldError {
  return new OverworldError('MACHINE_UNSUITABLE', { why, advice });
}
