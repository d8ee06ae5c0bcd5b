import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { publicKeyOf } from '#master/nodes/bootstrap/machine-seed.ts';
import { sshdConfig } from '#master/nodes/bootstrap/sshd-config.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { makeKey } from '../nodes/contact-fixture.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

const PROGRAM = '/usr/sbin/sshd';

/**
 * Whether this process can start an OpenSSH server to which root logs in. It must run as root, and the server must be
 * installed. The lab repeats these tests on booted nodes.
 */
export const canStartSshd = process.getuid?.() === 0 && existsSync(PROGRAM);

/**
 * OpenSSH's server on loopback, with the configuration of a node's sshd. Needs root. The server stops when the test
 * ends.
 */
export interface Sshd {
  readonly port: number;
  /** Fingerprint of the server's host key. */
  readonly hostKey: string;
  /** Private key with which root can log in. */
  readonly key: string;
  /** Closes all connections and restarts the server, optionally with another host key. */
  restart(options?: { readonly newHostKey: boolean }): Promise<void>;
  /** Stops (`true`) or continues (`false`) the processes of the open connections, without closing the connections. */
  freeze(frozen: boolean): void;
  stop(): Promise<void>;
}

/**
 * Starts the server.
 *
 * @param more additional lines of the server's configuration
 */
export async function startSshd(more: readonly string[] = []): Promise<Sshd> {
  const folder = temporaryFolder();
  const key = makeKey();
  const port = await freePort();
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, 'authorized_keys'), `${publicKeyOf(key)}\n`, { mode: 0o600 });
  const config = join(folder, 'sshd_config');
  const lines = [
    ...sshdConfig(port).trimEnd().split('\n'),
    ...['ListenAddress 127.0.0.1', `HostKey ${join(folder, 'host_key')}`, 'PidFile none'],
    ...[`AuthorizedKeysFile ${join(folder, 'authorized_keys')}`, 'StrictModes no', 'UsePAM no'],
    // Prevents the use of root's own shell files, which may be slow.
    `SetEnv HOME=${folder}`,
    ...more,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  let hostKey = '';
  const newHostKey = (): void => {
    const made = makeKey();
    writeFileSync(join(folder, 'host_key'), made, { mode: 0o600 });
    hostKey = fingerprintOf(Buffer.from(publicKeyOf(made).split(' ')[1] ?? '', 'base64'));
  };
  newHostKey();
  let daemon: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    if (daemon?.pid === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const sessions = descendants(daemon.pid);
    const ended = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    for (const pid of sessions) signal(pid, 'SIGKILL');
    await ended;
  };
  const start = async (): Promise<void> => {
    daemon = spawn(PROGRAM, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    daemon.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitFor(() => said.includes('Server listening'), { what: `sshd to listen: ${said}` });
  };
  await start();
  onTestFinished(stop);
  return {
    port,
    key,
    get hostKey() {
      return hostKey;
    },
    stop,
    restart: async (options) => {
      await stop();
      if (options?.newHostKey === true) newHostKey();
      await start();
    },
    freeze: (frozen) => {
      for (const pid of descendants(daemon?.pid ?? -1)) signal(pid, frozen ? 'SIGSTOP' : 'SIGCONT');
    },
  };
}

/** Sends a signal to a process. Ignores a process that has exited. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Returns all descendants of a process, read from /proc. */
function descendants(pid: number): number[] {
  let children: number[];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    children = text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
