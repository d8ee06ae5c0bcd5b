import { code } from '../code.ts';

/** Errors of the upgrade of a master. */
export const upgradeCodes = {
  UPGRADE_IMPOSSIBLE: code<{ why: string }>(
    'config',
    ({ why }) => `The master of this machine cannot be upgraded by this command: ${why}.`,
  ),
  UPGRADE_REFUSED: code<{ file: string; why: string }>(
    'user',
    ({ file, why }) => `${file} is not installed: ${why}. Nothing was changed, and the master keeps running.`,
  ),
  UPGRADE_FAILED: code<{ before: string; why: string }>(
    'config',
    ({ before, why }) =>
      `The upgrade failed before it changed the master: ${why}. Version ${before} remains installed. Correct the cause and start the upgrade again.`,
  ),
  UPGRADE_RETURNED: code<{ version: string; before: string; why: string }>(
    'internal',
    ({ version, before, why }) =>
      `Version ${version} was installed and removed again, because ${why}. Version ${before} is installed again with its data; overworld-master upgrade --status shows what the newer version logged.`,
  ),
  UPGRADE_STUCK: code<{ version: string; before: string; why: string; whyNotBack: string; folder: string }>(
    'internal',
    ({ version, before, why, whyNotBack, folder }) =>
      `Version ${version} was installed, but ${why}, and the return to version ${before} failed: ${whyNotBack}. Services keep running, but possibly no master is running. The package and the data of version ${before} are in ${folder}; install that package by hand.`,
  ),
  UPGRADE_INTERRUPTED: code<{ before: string }>(
    'transient',
    ({ before }) =>
      `The upgrade was interrupted before it had finished, for example by a restart of the machine. The previous version is ${before}. Start the upgrade again: it continues, and still returns to version ${before} if necessary.`,
    true,
  ),
};
