import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { speakRawSftp, type RawSftp } from './raw-sftp.ts';

/** Paths of OpenSSH's `sftp-server` on Debian, on Fedora, on Alpine and Arch, and on macOS. */
const PROGRAMS = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/lib/ssh/sftp-server',
  '/usr/libexec/sftp-server',
];

const program = PROGRAMS.find((path) => existsSync(path));

/** Whether this machine has OpenSSH's SFTP server. */
export const hasSftpServer = program !== undefined;

/** Session of OpenSSH's SFTP server. */
export interface OpenSshSession {
  readonly raw: RawSftp;
  close(): void;
}

/** Starts OpenSSH's SFTP server. It creates files and folders with the same modes as the master (0640, 0750). */
export async function startSftpServer(): Promise<OpenSshSession> {
  if (program === undefined) throw new Error('this machine has no sftp-server');
  const server = spawn(program, ['-u', '027'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const stream = Duplex.from({ readable: server.stdout, writable: server.stdin });
  stream.on('error', () => undefined);
  return { raw: await speakRawSftp(stream), close: () => void server.kill() };
}
