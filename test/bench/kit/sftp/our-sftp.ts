import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { MasterProcess } from '#test/support/master/master-process.ts';
import type { BenchContext } from '../benchmark.ts';
import type { SftpServer } from './sftp-client.ts';

/** Files live in RAM, so that no disk is measured. */
export const TMPFS = '/dev/shm';

/** Our server as it is deployed: a master process, its shared files folder, a key of role `files`. */
export async function startOurSftp({ scope }: BenchContext, publicKey: string): Promise<SftpServer> {
  const data = await scope.folder(TMPFS);
  const master = new MasterProcess(data, { from: 27_200, to: 27_209 });
  scope.add(() => master.shutDown());
  const { port } = await master.start();
  await master.call('keys.add', { name: 'bench', role: 'files', publicKey });
  const hostKey = await readHostKey(data);
  return { port, user: 'overworld', hostKey, folder: '/files', disk: join(data, 'files') };
}

/** The master's public host key, from the machine it runs on. */
export async function readHostKey(data: string): Promise<string> {
  const key = ssh2.utils.parseKey(await readFile(join(data, 'config', 'host_key')));
  if (key instanceof Error) throw key;
  return `${key.type} ${key.getPublicSSH().toString('base64')}`;
}
