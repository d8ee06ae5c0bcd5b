import { runProgram } from './programs.ts';
import type { Scope } from '../scope.ts';
import { sshOptions, writeLogin } from './sftp-login.ts';

/** Program from Debian's package openssh-client. */
const PROGRAM = 'sftp';

/** An SSH server with SFTP on loopback. */
export interface SftpServer {
  readonly port: number;
  readonly user: string;
  /** Public host key in the form `ssh-ed25519 AAAA…`. */
  readonly hostKey: string;
  /** Path of the folder to write to, for SFTP clients. */
  readonly folder: string;
  /** Path of the same folder on this machine. */
  readonly disk: string;
}

/** Runs OpenSSH's `sftp` with default settings, one key and pinned host keys. */
export interface SftpClient {
  /**
   * Runs these commands in one session.
   *
   * @throws Error with the program's output if a command fails
   */
  run(server: SftpServer, commands: readonly string[]): Promise<void>;
  /** Returns the cipher that this client negotiates with a server. */
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
