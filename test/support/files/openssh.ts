import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import type { AdminMaster, Person } from '../master/admin-master.ts';

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Runs OpenSSH's `ssh` and `sftp` (Debian package openssh-client) against a master, with the host key pinned. */
export interface OpenSsh {
  ssh(...args: string[]): Promise<Finished>;
  /** Runs a batch of sftp commands, one per line, up to the first failure. */
  sftp(batch: string, ...options: string[]): Promise<Finished>;
  /**
   * Runs another program. Its arguments may contain {@link options} or {@link files}. The program must exit on its own.
   */
  run(program: string, args: readonly string[], more?: RunOptions): Promise<Finished>;
  /** Options with which `ssh` and compatible programs trust the master and authenticate. */
  readonly options: readonly string[];
  /** Files with the private key and the master's host key. */
  readonly files: { readonly folder: string; readonly key: string; readonly knownHosts: string };
  close(): Promise<void>;
}

interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openSshAs(master: AdminMaster, person: Person): Promise<OpenSsh> {
  const folder = await mkdtemp(join(tmpdir(), 'overworld-openssh-'));
  const { host, port } = master.server;
  await writeFile(join(folder, 'key'), person.privateKey, { mode: 0o600 });
  const hostKey = ssh2.utils.parseKey(await readFile(join(master.data, 'config', 'host_key')));
  if (hostKey instanceof Error) throw hostKey;
  const known = `[${host}]:${port} ssh-ed25519 ${hostKey.getPublicSSH().toString('base64')}\n`;
  await writeFile(join(folder, 'known_hosts'), known);
  const options = [
    ...['-F', 'none', '-i', join(folder, 'key')],
    ...['-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-o', 'StrictHostKeyChecking=yes'],
    ...['-o', `UserKnownHostsFile=${join(folder, 'known_hosts')}`, '-o', 'ConnectTimeout=10'],
  ];
  const files = { folder, key: join(folder, 'key'), knownHosts: join(folder, 'known_hosts') };
  return {
    ssh: (...args) => finish('ssh', [...options, '-p', String(port), ...args]),
    sftp: (batch, ...more) =>
      finish('sftp', [...options, ...more, '-P', String(port), '-b', '-', `overworld@${host}`], {
        input: batch,
      }),
    run: finish,
    options,
    files,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Maximum time of a command on a very busy machine (ms). */
const TIMEOUT_MS = 240_000;

function finish(
  program: string,
  args: readonly string[],
  { input = '', env = {} }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { timeout: TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C', ...env } });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
    // A refused client exits before it has read all of its input. Its output and exit code show the reason.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
