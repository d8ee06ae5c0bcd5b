import { runProgram } from './programs.ts';
import type { Scope } from '../scope.ts';
import { sshOptions, writeLogin } from './sftp-login.ts';

/** Debian package openssh-client. */
const PROGRAM = 'sftp';

/** An SSH server on loopback with SFTP. */
export interface SftpServer {
  readonly port: number;
  readonly user: string;
  /** `ssh-ed25519 AAAA…` */
  readonly hostKey: string;
  /** Folder to write to, as the server names it. */
  readonly folder: string;
  /** The same folder as this machine names it. */
  readonly disk: string;
}

/** OpenSSH's `sftp` with one key and pinned host keys, and default settings. */
export interface SftpClient {
  /**
   * Runs commands in one session.
   *
   * @throws Error with the program's output if one of them fails
   */
  run(server: SftpServer, commands: readonly string[]): Promise<void>;
  /** Returns the cipher that this client and a server negotiate. */
  cipherOf(server: SftpServer): Promise<string>;
}

export async function openSftpClient(scope: Scope, privateKey: string): Promise<SftpClient> {
  const login = await writeLogin(scope, privateKey);
  const connect = async (server: SftpServer, more: readonly string[], input: string): Promise<string> => {
    const options = ['-P', String(server.port), ...sshOptions(login, await login.knownHosts(server))];
    return runProgram(PROGRAM, [...options, ...more, '-b', '-', `${server.user}@127.0.0.1`], { input });
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
