import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../scope.ts';
import type { SftpServer } from './sftp-client.ts';

/** Files that an SFTP client needs to log in: a private key and pinned host keys. */
export interface SftpLogin {
  /** Path of the private key. */
  readonly key: string;
  /**
   * Writes a known_hosts file for one server.
   *
   * @returns the file's path
   */
  knownHosts(server: SftpServer): Promise<string>;
}

/** Writes the private key into a folder that is removed with the scope. */
export async function writeLogin(scope: Scope, privateKey: string): Promise<SftpLogin> {
  const folder = await scope.folder();
  const key = join(folder, 'key');
  await writeFile(key, privateKey, { mode: 0o600 });
  return {
    key,
    knownHosts: async (server) => {
      const path = join(folder, `known_hosts_${server.port}`);
      await writeFile(path, `[127.0.0.1]:${server.port} ${server.hostKey}\n`);
      return path;
    },
  };
}

/**
 * Returns options for OpenSSH's `ssh` and compatible programs. With these options, they use default settings and ask no
 * questions.
 */
export function sshOptions({ key }: SftpLogin, knownHosts: string): string[] {
  return [
    ...['-F', 'none', '-i', key, '-o', `UserKnownHostsFile=${knownHosts}`],
    ...['-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-o', 'StrictHostKeyChecking=yes'],
  ];
}
