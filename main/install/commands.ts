import { join } from 'node:path';
import type { InstallDraft } from '#shared/ipc/contract.ts';
import { quote } from '#shared/text/shell.ts';
import type { JobParts } from './job/job-parts.ts';
import { packageName } from './package/deb-version.ts';
import { configureCommand } from './steps/configure-master.ts';

/** Path of the package on the server. Without `./`, apt would take it for the name of a package. */
const REMOTE_FILE = './overworld-master.deb';

/**
 * Returns terminal commands that do the same as an installation by the app. The commands contain no secrets: ssh and
 * sudo ask for them.
 */
export function terminalCommands(
  { server, masterPort, hostname, haproxy, openPorts, services }: InstallDraft,
  {
    version,
    identity,
    ownerName,
    packages,
  }: Pick<JobParts, 'version' | 'identity' | 'ownerName' | 'packages'>,
): string[] {
  const { user, host, port } = server;
  const at = `${user}@${host.includes(':') ? `[${host}]` : host}`;
  const [type = '', key = ''] = identity.publicKey.split(/\s+/);
  const sudo = user === 'root' ? '' : 'sudo ';
  const configure = configureCommand({
    hostname: hostname ?? host,
    ownerKey: `${type} ${key} ${ownerName}`,
    sshPort: masterPort,
    haproxy,
    openPorts,
    services,
  });
  const remote = `${sudo}apt-get install -y ${REMOTE_FILE} && ${sudo}${configure}`;
  const arch = `"$(ssh -p ${port} ${quote(`${user}@${host}`)} dpkg --print-architecture)"`;
  // The name ends with the architecture, which only the server knows.
  const local = join(packages.folder, packageName(version, ''));
  return [
    `scp -P ${port} ${quote(local.replace(/\.deb$/, ''))}${arch}.deb ${quote(`${at}:${REMOTE_FILE}`)}`,
    `ssh -t -p ${port} ${quote(`${user}@${host}`)} ${quote(remote)}`,
  ];
}
