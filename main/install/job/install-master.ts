import type { InstallDraft } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import { packageName } from '../package/deb-version.ts';
import { cleanUp } from '../steps/clean-up.ts';
import { checkServer, type CheckedServer } from '../steps/check-server.ts';
import type { MasterSettings } from '../steps/configure-master.ts';
import { connectServer } from '../steps/connect-server.ts';
import { enableServices } from '../steps/enable-services.ts';
import { installPackage } from '../steps/install-package.ts';
import { placePackage } from '../steps/place-package.ts';
import { reachMaster } from '../steps/reach-master.ts';
import { upgradeMaster } from '../steps/upgrade-master.ts';
import type { JobControl } from './job-parts.ts';
import { serverOf } from './server-of.ts';
import { setUpMaster } from './set-up-master.ts';

/** Default port of a master's SSH server. */
const DEFAULT_PORT = 2022;

/**
 * Installs a master on a server and connects to it. A step whose work is already done changes nothing.
 *
 * @throws OverworldError of the step that failed, or the signal's abort reason
 */
export async function installMaster(job: JobControl, draft: InstallDraft): Promise<void> {
  const { parts, signal } = job;
  const { server } = draft;
  const address = addressOf(server);
  const purpose = 'installs a master';
  const shell = await job.step('connect', (step) =>
    connectServer(job, step, { server, memory: job.memory.server, purpose }),
  );
  try {
    const intent = {
      kind: 'install' as const,
      version: parts.version,
      masterHostKey: null,
      leaving: null,
      masterPort: draft.masterPort,
      haproxy: draft.haproxy,
      openPorts: draft.openPorts,
    };
    const checked = await job.step('check', (step) => checkServer(job, step, { shell, server, intent }));
    const path = await placePackage(job, server, checked);
    await installNeeded(job, checked, { path, address });
    const settings = settingsFor(draft, checked, `${keyOf(parts.identity.publicKey)} ${parts.ownerName}`);
    const { root } = checked;
    const serving = await setUpMaster(job, { root, settings, address });
    if (draft.services)
      await job.step('services', (step) =>
        enableServices(step, { root, address, signal, openPorts: draft.openPorts }),
      );
    await cleanUp(root, { file: packageName(parts.version, checked.arch), signal });
    await job.step('reach', async (step) => {
      const { host } = server;
      const target = { host, port: serving.port, pin: serving.hostKey };
      await reachMaster(step, { target, identity: parts.identity, signal });
      const connection = await parts.masters.adopt({
        draft: { name: draft.name, host, port: serving.port },
        hostKey: serving.hostKey,
        server: serverOf(server, job.memory.server),
      });
      job.report({ connection });
    });
  } finally {
    shell.close();
  }
}

/**
 * Runs the step `install`. If the server has a configured master that is older or whose upgrade was interrupted,
 * and that can upgrade itself, that master is upgraded, because it may serve players. Otherwise apt installs the
 * package.
 *
 * @param path package on the server; null if its version is already installed, so that the step has nothing to do
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, errors of the upgrade, or the signal's abort
 *   reason
 */
export async function installNeeded(
  job: JobControl,
  { root, facts }: CheckedServer,
  { path, address }: { readonly path: string | null; readonly address: string },
): Promise<void> {
  const { signal } = job;
  await job.step('install', async (step) => {
    if (path === null) {
      step.unchanged(`Version ${job.parts.version} is already installed.`);
      return;
    }
    const { master } = facts;
    const isToUpgrade = master?.compared === 'older' || facts.hasUnfinishedUpgrade;
    if (isToUpgrade && master?.configured === true && master.canUpgrade) {
      await upgradeMaster(step, { root, path, address }).serving;
      return;
    }
    await installPackage(step, { root, path, address, signal, repair: facts.brokenPackages > 0 });
  });
}

/**
 * Returns the settings of the master. An existing master keeps its address and port unless the person has entered
 * others.
 */
function settingsFor(draft: InstallDraft, { facts }: CheckedServer, ownerKey: string): MasterSettings {
  const { hostname, masterPort, haproxy, openPorts, server } = draft;
  const isNew = facts.master?.configured !== true;
  return {
    // A separate step enables services on the server.
    ownerKey,
    haproxy,
    openPorts,
    services: false,
    hostname: hostname ?? (isNew ? server.host : null),
    sshPort: isNew || masterPort !== DEFAULT_PORT ? masterPort : null,
  };
}

/** Returns a public key line without its comment. */
function keyOf(line: string): string {
  return line.split(/\s+/).slice(0, 2).join(' ');
}
