import { benchNeeds, ensureSystemPackages, sshdNeeds } from '../../../build/scripts/system-packages.mjs';
import { SetupError } from '../../../build/scripts/steps.mjs';
import { hasSshd } from './private-sshd.ts';

/** Beginnings of the metrics that need other people's programs. */
const PREFIXES = ['sftp-', 'sync-'];

/**
 * Installs the programs that the master is compared with, as root on Debian, or says what is missing and which command
 * installs it. OpenSSH's server is installed on request only: Debian starts it at once, and nobody's machine is to get an
 * open port by measuring.
 *
 * @param metrics that will be measured
 * @param options.installSshd whether the person asked for OpenSSH's server
 */
export async function installPrograms(
  metrics: readonly string[],
  { installSshd, say }: { readonly installSshd: boolean; readonly say: (line: string) => void },
): Promise<void> {
  if (!metrics.some((metric) => PREFIXES.some((prefix) => metric.startsWith(prefix)))) return;
  try {
    const outcome = await ensureSystemPackages(installSshd ? [...benchNeeds, ...sshdNeeds] : benchNeeds);
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
