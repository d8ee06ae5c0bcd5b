import { quote } from '#shared/text/shell.ts';
import type { StepControl } from '../job/job-parts.ts';
import { protect, runInUnit, type RootShell } from '../server/run-in-unit.ts';
import { rootPrefix } from './check-server.ts';
import { failure } from './failure.ts';

/** The apt command. It waits up to 300 s for another run of apt, because new servers run apt at their first boot. */
const APT = 'apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0';

interface Installation {
  readonly root: RootShell;
  /** Path of the verified package on the server. */
  readonly path: string;
  readonly address: string;
  readonly signal: AbortSignal;
  /** Whether an earlier run of dpkg must be completed first. */
  readonly repair: boolean;
}

/**
 * Installs a package with apt. A cancellation ends downloads, but waits until a run of dpkg has ended.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function installPackage(step: StepControl, installation: Installation): Promise<void> {
  const { root, path, address, signal, repair } = installation;
  step.command(`${rootPrefix(root)}apt-get install -y ${path}`);
  const lines: string[] = [];
  const code = await runInUnit(root, {
    command: installCommand(path, repair),
    signal,
    onLine: (line) => lines.push(line),
  });
  if (code !== 0) throw failure({ step: 'install', address, output: lines.join('\n') });
  step.detail(
    lines.findLast((line) => line.startsWith('Setting up overworld-master'))?.replace(/[ .]*$/, '.') ??
      'Installed.',
  );
}

/**
 * Returns the shell lines that install a package with apt. The lines update the lists of packages only if the
 * download fails with the existing lists. Commands that run dpkg are {@link protect}ed. This function is exported for
 * its test, which runs the lines with other programs.
 *
 * @param path path or name of a package
 * @param repair whether to complete an interrupted run of dpkg first
 */
export function installCommand(path: string, repair: boolean): string {
  const file = quote(path);
  // The lists of packages are needed only if a dependency is missing. A new server may not have the lists yet.
  const download = `${APT} install --download-only ${file}`;
  return [
    ...(repair ? [protect('dpkg --configure -a')] : []),
    `${download} || { ${APT} update && ${download}; } || exit 1`,
    // On Ubuntu, the program needrestart would otherwise ask which services to restart.
    'export NEEDRESTART_SUSPEND=1',
    protect(`${APT} install ${file}`),
  ].join('\n');
}

/**
 * Installs HAProxy from the package sources of the server, unless it is already installed. A newly installed HAProxy
 * has no frontend yet.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function installHaproxy({
  root,
  address,
  signal,
}: Pick<Installation, 'root' | 'address' | 'signal'>): Promise<void> {
  const lines: string[] = [];
  const code = await runInUnit(root, {
    command: `if command -v haproxy > /dev/null; then exit 0; fi\n${installCommand('haproxy', false)}`,
    signal,
    onLine: (line) => lines.push(line),
  });
  if (code !== 0) throw failure({ step: 'install', address, output: `haproxy\n${lines.join('\n')}` });
}
