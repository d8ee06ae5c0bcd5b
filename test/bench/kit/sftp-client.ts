import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from './scope.ts';

/** Debian package openssh-client. */
const PROGRAM = 'sftp';

/** A gigabyte on a slow and busy machine. */
const TRANSFER_TIMEOUT_MS = 180_000;

/** An SSH server on loopback with SFTP. */
export interface SftpServer {
  readonly port: number;
  readonly user: string;
  /** `ssh-ed25519 AAAA…` */
  readonly hostKey: string;
  /** Folder to write to, as the server names it. */
  readonly folder: string;
}

/** OpenSSH's own `sftp`, with one key, towards servers whose host keys are pinned. Its defaults, nobody's settings. */
export interface SftpClient {
  /** Runs commands in one session. @throws Error with what it said, when one of them failed */
  run(server: SftpServer, commands: readonly string[]): Promise<void>;
  /** The cipher that this client and a server agree on. */
  cipherOf(server: SftpServer): Promise<string>;
}

export async function openSftpClient(scope: Scope, privateKey: string): Promise<SftpClient> {
  const folder = await scope.folder();
  const key = join(folder, 'key');
  await writeFile(key, privateKey, { mode: 0o600 });
  const connect = async (server: SftpServer, more: readonly string[], input: string): Promise<string> => {
    const known = join(folder, `known_hosts_${server.port}`);
    await writeFile(known, `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
    const options = [
      ...['-F', 'none', '-i', key, '-P', String(server.port), '-o', `UserKnownHostsFile=${known}`],
      ...['-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-o', 'StrictHostKeyChecking=yes'],
    ];
    return finish([...options, ...more, '-b', '-', `${server.user}@127.0.0.1`], input);
  };
  return {
    run: async (server, commands) => {
      await connect(server, ['-q'], `${commands.join('\n')}\n`);
    },
    cipherOf: async (server) => {
      const output = await connect(server, ['-v'], 'pwd\n');
      return /kex: server->client cipher: (\S+)/.exec(output)?.[1] ?? 'unknown';
    },
  };
}

async function finish(args: readonly string[], input: string): Promise<string> {
  const child = spawn(PROGRAM, args, { timeout: TRANSFER_TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C' } });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`sftp ended with ${code}: ${output.slice(-500)}`);
  return output;
}
