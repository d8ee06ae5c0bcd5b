import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { waitFor } from '#test/support/wait-for.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { freePort } from '../network/by-hand.ts';
import type { Scope } from '../scope.ts';
import type { SftpServer } from './sftp-client.ts';

const PROGRAM = '/usr/sbin/sshd';
const SFTP_SERVER = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/libexec/sftp-server',
];

/**
 * Empty folder that sshd needs for its unprivileged processes if it runs as root. On Debian, the service of sshd
 * creates the folder.
 */
const PRIVSEP_FOLDER = '/run/sshd';

/** Returns whether OpenSSH's server is installed (Debian package openssh-server). It does not have to run. */
export function hasSshd(): boolean {
  return existsSync(PROGRAM) && SFTP_SERVER.some((path) => existsSync(path));
}

/**
 * Starts OpenSSH's server for this benchmark, with its own loopback port, keys and configuration. Does not affect the
 * machine's sshd. The server stops with the scope.
 *
 * @param options.publicKey key that may log in as the current user
 * @param options.folder folder to write to
 */
export async function startSshd(
  scope: Scope,
  { publicKey, folder }: { readonly publicKey: string; readonly folder: string },
): Promise<SftpServer> {
  const own = await scope.folder();
  const hostKey = makePerson('host');
  const port = await freePort();
  await writeFile(join(own, 'host_key'), hostKey.privateKey, { mode: 0o600 });
  await writeFile(join(own, 'authorized_keys'), `${publicKey}\n`, { mode: 0o600 });
  const config = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(own, 'host_key')}`,
    `AuthorizedKeysFile ${join(own, 'authorized_keys')}`,
    `Subsystem sftp ${SFTP_SERVER.find((path) => existsSync(path)) ?? ''}`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
  ];
  await writeFile(join(own, 'sshd_config'), `${config.join('\n')}\n`);
  if (process.getuid?.() === 0) mkdirSync(PRIVSEP_FOLDER, { recursive: true, mode: 0o755 });
  const child = spawn(PROGRAM, ['-D', '-e', '-f', join(own, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  scope.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });
  await waitFor(() => listens(port, () => child.exitCode !== null, said), {
    what: `sshd to listen: ${said}`,
  });
  const [type = '', key = ''] = hostKey.publicKey.split(' ');
  return { port, user: userInfo().username, hostKey: `${type} ${key}`, folder, disk: folder };
}

async function listens(port: number, hasEnded: () => boolean, said: string): Promise<boolean> {
  if (hasEnded()) throw new Error(`sshd ended: ${said}`);
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}
