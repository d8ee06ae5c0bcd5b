import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { publicKeyOf } from '#master/nodes/bootstrap/machine-seed.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { freePort } from '../free-port.ts';
import { makeKey } from '../nodes/contact-fixture.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

const PROGRAM = '/usr/sbin/sshd';

/** Whether this process can start a test server: it must run on Linux as root, with OpenSSH's server installed. */
export const canStartTestServer =
  process.platform === 'linux' && process.getuid?.() === 0 && existsSync(PROGRAM);

/**
 * OpenSSH's server on loopback with its own mount namespace. It has its own users, and its own `/var/tmp` and
 * `/var/lib` (except dpkg's data). It looks like a system without systemd. The server ends with the test.
 */
export interface TestServer {
  readonly port: number;
  /** Private key with which root can log in. */
  readonly key: string;
  /** User without further rights, who can log in only with this password. */
  readonly user: { readonly name: string; readonly password: string };
  /** Fingerprint of the server's host key. */
  readonly hostKey: string;
  /** Line of the server in a `known_hosts` file. */
  readonly knownHosts: string;
  /** Log of sshd. */
  readonly log: string;
  /** Runs a command as root in the server's mount namespace. @returns the output of the command */
  run(command: string): string;
  /** Restarts sshd with another host key. Connections stay open. */
  changeHostKey(): Promise<void>;
}

const user = { name: 'anna', password: "ge heim'$1" };

export async function startTestServer(): Promise<TestServer> {
  const folder = temporaryFolder();
  const [key, port] = [makeKey(), await freePort()];
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, 'authorized_keys'), `${publicKeyOf(key)}\n`, { mode: 0o600 });
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: user.password })
    .toString()
    .trim();
  addLine(folder, 'passwd', `${user.name}:x:4242:4242::/var/lib/${user.name}:/bin/sh`);
  addLine(folder, 'shadow', `${user.name}:${hash}:19000:0:99999:7:::`);
  addLine(folder, 'group', `${user.name}:x:4242:`);
  const lines = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${join(folder, 'host_key')}`, 'PidFile none'],
    ...[`AuthorizedKeysFile ${join(folder, 'authorized_keys')}`, 'StrictModes no', 'UsePAM no', 'UseDNS no'],
    ...['PermitRootLogin prohibit-password', 'PasswordAuthentication yes', 'LogLevel VERBOSE'],
  ];
  writeFileSync(join(folder, 'sshd_config'), `${lines.join('\n')}\n`);
  let hostKey = newHostKey(folder);

  // The mount namespace belongs to a process that runs until the test ends.
  const mounts = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', mountScript(folder)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void mounts.kill('SIGKILL'));
  await once(mounts.stdout, 'data');
  const inside = ['--mount', `--target=${mounts.pid}`];
  let log = '';
  const start = async (): Promise<ChildProcess> => {
    const began = log.length;
    const daemon = spawn('nsenter', [...inside, PROGRAM, '-D', '-e', '-f', join(folder, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    daemon.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await waitFor(() => log.slice(began).includes('Server listening'), { what: `sshd to listen: ${log}` });
    return daemon;
  };
  let daemon = await start();
  const stop = async (): Promise<void> => {
    const ended = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await ended;
  };
  onTestFinished(stop);
  return {
    ...{ port, key, user },
    get hostKey() {
      return hostKey.fingerprint;
    },
    get knownHosts() {
      return `[127.0.0.1]:${port} ${hostKey.line}`;
    },
    get log() {
      return log;
    },
    run: (command) =>
      execFileSync('nsenter', [...inside, 'sh', '-c', command])
        .toString()
        .trim(),
    changeHostKey: async () => {
      await stop();
      hostKey = newHostKey(folder);
      daemon = await start();
    },
  };
}

/** Writes a copy of the system's file `passwd`, `shadow` or `group` with an additional line. */
function addLine(folder: string, name: string, line: string): void {
  const before = readFileSync(join('/etc', name), 'utf8');
  writeFileSync(join(folder, name), `${before.trimEnd()}\n${line}\n`, {
    mode: name === 'shadow' ? 0o600 : 0o644,
  });
}

function newHostKey(folder: string): { readonly fingerprint: string; readonly line: string } {
  const made = makeKey();
  writeFileSync(join(folder, 'host_key'), made, { mode: 0o600 });
  const line = publicKeyOf(made);
  return { line, fingerprint: fingerprintOf(Buffer.from(line.split(' ')[1] ?? '', 'base64')) };
}

function mountScript(folder: string): string {
  return [
    'set -e',
    ...['passwd', 'shadow', 'group'].map((name) => `mount --bind ${join(folder, name)} /etc/${name}`),
    'mount -t tmpfs -o mode=1777 tmpfs /var/tmp',
    `mkdir ${folder}/dpkg && mount --bind /var/lib/dpkg ${folder}/dpkg`,
    'mount -t tmpfs -o mode=755 tmpfs /var/lib',
    `mkdir /var/lib/dpkg && mount --bind ${folder}/dpkg /var/lib/dpkg`,
    `mkdir -m 700 /var/lib/${user.name} && chown 4242:4242 /var/lib/${user.name}`,
    'if [ -d /run/systemd ]; then mount -t tmpfs tmpfs /run/systemd; fi',
    'echo mounted',
    'exec cat > /dev/null',
  ].join('\n');
}
