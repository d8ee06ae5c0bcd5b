import { mustRun, runProgram } from './run-program.ts';

/**
 * Maximum duration of one run of apt (ms). It includes waiting for other runs of apt, which are common during the
 * first boot of a new server.
 */
const APT_TIMEOUT_MS = 10 * 60_000;

/**
 * Installs Debian packages, without the packages that they only recommend. If this fails, updates the package lists
 * and tries once more. Each run of apt is killed after 10 minutes.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function aptInstall(packages: readonly string[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' };
  const options = { timeoutMs: APT_TIMEOUT_MS, env };
  const args = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300'];
  const install = [...args, 'install', '--no-install-recommends', ...packages];
  // The first run may fail on a new server, which may have no package lists, or outdated ones.
  const first = await runProgram('apt-get', install, options);
  if (first.code === 0) return;
  await mustRun('apt-get', [...args, 'update'], options);
  await mustRun('apt-get', install, options);
}
