import { existsSync } from 'node:fs';
import {
  benchNeeds,
  ensureSystemPackages,
  sshdNeeds,
} from '../../../build/scripts/set-up/system-packages.mjs';
import { SetupError } from '../../../build/scripts/steps.mjs';
import { hasSshd } from './sftp/private-sshd.ts';

/**
 * Installs the programs with which the master is compared, if this process runs as root on Debian. Otherwise reports
 * which programs are missing, and which command installs them. Installs OpenSSH's server only on request: Debian
 * starts it immediately, and a measurement should not open a port on a person's machine.
 *
 * @param metrics names of the metrics that will be measured
 * @param options.installSshd whether the person asked for OpenSSH's server
 */
export async function installPrograms(
  metrics: readonly string[],
  { installSshd, say }: { readonly installSshd: boolean; readonly say: (line: string) => void },
): Promise<void> {
  const needs = Object.entries(benchNeeds).flatMap(([prefix, programs]) =>
    metrics.some((metric) => metric.startsWith(prefix)) ? programs : [],
  );
  if (needs.length === 0) return;
  if (metrics.includes('sftp-sshfs-git') && !existsSync('/dev/fuse')) {
    say('This system lacks /dev/fuse, so sftp-sshfs-git is skipped.');
  }
  try {
    const outcome = await ensureSystemPackages(installSshd ? [...needs, ...sshdNeeds] : needs);
    if (outcome !== 'ready') say(outcome);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`${error.message} Metrics that need what is missing are skipped.`);
  }
  if (!hasSshd() && !installSshd) {
    say(
      'This system lacks sshd, so the metrics beside it are skipped. Debian starts it and opens port 22 once it is installed; "npm run bench -- --install-sshd" (as root) or "apt-get install openssh-server" installs it.',
    );
  }
}
