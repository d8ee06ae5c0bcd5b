import { addressOf } from '../../connections/ssh.ts';
import type { ServerFacts } from '../check/facts.ts';
import type { JobControl } from '../job/job-parts.ts';
import { findPackage } from '../package/find-package.ts';
import type { ServerAddress } from '../server/known-hosts.ts';
import type { CheckedServer } from './check-server.ts';
import { uploadPackage } from './upload-package.ts';

/**
 * Runs the steps `package` and `upload`.
 *
 * @returns path of the verified package on the server; null if its version is already installed, so that no package
 *   is needed
 * @throws OverworldError PACKAGE_MISSING, LOCAL_FILE_UNREADABLE, those of {@link uploadPackage}, or the signal's
 *   abort reason
 */
export async function placePackage(
  job: JobControl,
  server: ServerAddress,
  checked: CheckedServer,
): Promise<string | null> {
  const { parts, signal } = job;
  const { version } = parts;
  if (isInstalled(checked.facts)) {
    const why = `Version ${version} is already installed.`;
    for (const name of ['package', 'upload'] as const) {
      await job.step(name, (step) => {
        step.unchanged(why);
        return Promise.resolve();
      });
    }
    return null;
  }
  const local = await job.step('package', async (step) => {
    const wanted = { version, arch: checked.arch };
    const found = await findPackage(parts.packages, wanted, { signal, report: (line) => step.detail(line) });
    step.detail(`${found.file}, SHA-256 ${found.sha256}.`);
    return found;
  });
  const { root } = checked;
  return job.step('upload', (step) =>
    uploadPackage(step, { local, root, address: addressOf(server), signal }),
  );
}

/**
 * Returns whether the version of the app is completely installed and cannot be reverted by an upgrade that is running
 * or was interrupted.
 */
export function isInstalled({ master, upgrading, hasUnfinishedUpgrade }: ServerFacts): boolean {
  return master?.compared === 'same' && master.complete && !upgrading && !hasUnfinishedUpgrade;
}
