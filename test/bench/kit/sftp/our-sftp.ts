import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { SshServiceProcess } from '#test/support/master/ssh-service-process.ts';
import type { BenchContext } from '../benchmark.ts';
import type { SftpServer } from './sftp-client.ts';

/** Folder in RAM for all files, so that the disk does not affect the results. */
export const TMPFS = '/dev/shm';

/**
 * Starts our SFTP server in the same way as on real servers: a master process with an SSH service. Clients write to
 * the folder of shared files with a key with the role `files`.
 */
export async function startOurSftp({ scope }: BenchContext, publicKey: string): Promise<SftpServer> {
  const data = await scope.folder(TMPFS);
  const service = await SshServiceProcess.start(await scope.folder(TMPFS));
  scope.add(() => service.close());
  const ports = { from: 27_200, to: 27_209 };
  const master = new MasterProcess(data, ports, ['--ssh-service', service.socket]);
  scope.add(() => master.shutDown());
  const { port } = await master.start();
  await master.call('keys.add', { name: 'bench', role: 'files', publicKey });
  const hostKey = await readHostKey(data);
  return { port, user: 'overworld', hostKey, folder: '/files', disk: join(data, 'files') };
}

/** Returns the master's public host key, read from its data folder. */
export async function readHostKey(data: string): Promise<string> {
  const key = ssh2.utils.parseKey(await readFile(join(data, 'config', 'host_key')));
  if (key instanceof Error) throw key;
  return `${key.type} ${key.getPublicSSH().toString('base64')}`;
}
