import type { ServerDraft } from '#shared/ipc/contract.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { addressOf } from '../../connections/ssh.ts';
import { packageName } from '../package/deb-version.ts';
import { cleanUp } from '../steps/clean-up.ts';
import { checkServer } from '../steps/check-server.ts';
import { connectServer } from '../steps/connect-server.ts';
import { installPackage } from '../steps/install-package.ts';
import { placePackage } from '../steps/place-package.ts';
import { reachMaster } from '../steps/reach-master.ts';
import { startMaster } from '../steps/start-master.ts';
import { upgradeMaster, type Upgrading } from '../steps/upgrade-master.ts';
import type { JobControl } from './job-parts.ts';
import { serverOf } from './server-of.ts';

/**
 * Updates the master of a connection to the version of the app.
 *
 * @throws OverworldError CONNECTION_NOT_FOUND, CONNECTION_EMBEDDED, the error of the step that failed, or the
 *   signal's abort reason
 */
export async function updateMaster(
  job: JobControl,
  { connection, server }: { readonly connection: string; readonly server: ServerDraft },
): Promise<void> {
  const { parts, signal } = job;
  const address = addressOf(server);
  const { host, port, hostKey: pin } = parts.masters.find(connection);
  const purpose = 'updates the master';
  const shell = await job.step('connect', (step) =>
    connectServer(job, step, { server, memory: job.memory.server, purpose }),
  );
  let pending: Promise<unknown> = Promise.resolve();
  try {
    const intent = {
      kind: 'update' as const,
      version: parts.version,
      masterHostKey: pin,
      leaving: null,
      masterPort: null,
      haproxy: false,
      openPorts: false,
    };
    const checked = await job.step('check', (step) => checkServer(job, step, { shell, server, intent }));
    const masterHostKey = pin ?? checked.facts.master?.hostKey ?? null;
    job.report({ masterHostKey });
    const path = await placePackage(job, server, checked);
    const upgrading = await job.step('install', async (step): Promise<Upgrading | null> => {
      if (path === null) {
        step.unchanged(`Version ${parts.version} is already installed.`);
        return null;
      }
      const { root, facts } = checked;
      if (facts.master?.canUpgrade !== true) {
        await installPackage(step, { root, path, address, signal, repair: facts.brokenPackages > 0 });
        return null;
      }
      const run = upgradeMaster(step, { root, path, address });
      pending = run.serving;
      await run.installed;
      return run;
    });
    await job.step('start', async (step) => {
      const upgraded = await upgrading?.serving;
      if (typeof upgraded?.pauseMs === 'number') {
        step.detail(`The control loop paused for ${upgraded.pauseMs / 1000} s.`);
        return;
      }
      // An upgrade does not start a master that was not running.
      const restarted = path !== null && upgrading === null;
      await startMaster(step, { root: checked.root, address, signal, restarted });
    });
    await cleanUp(checked.root, { file: packageName(parts.version, checked.arch), signal });
    await job.step('reach', async (step) => {
      const target = { host, port, pin: masterHostKey };
      const version = await reachMaster(step, { target, identity: parts.identity, signal });
      if (version !== parts.version) {
        const why = `the master at ${addressOf(target)} has version ${version} and not ${parts.version}`;
        throw new OverworldError('INSTALL_STEP_FAILED', { step: 'reach', address, why });
      }
      await parts.masters.remember(connection, serverOf(server, job.memory.server));
    });
  } finally {
    // An upgrade cannot be stopped. So a cancelled job ends only when the upgrade has ended.
    await pending.catch(() => undefined);
    shell.close();
  }
}
