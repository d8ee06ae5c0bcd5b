import type { MoveDraft } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import { sshPortIn } from '../check/moving-facts.ts';
import { ServerContact } from '../server/contact.ts';
import { findSudo } from '../server/sudo.ts';
import { connectMovedMaster } from '../steps/connect-moved-master.ts';
import { checkServer, type CheckedServer } from '../steps/check-server.ts';
import { packageName } from '../package/deb-version.ts';
import { cleanUp } from '../steps/clean-up.ts';
import { connectServer } from '../steps/connect-server.ts';
import { copyAll, copyCommand, prepareCopy, type Copying } from '../steps/copy-data.ts';
import { handOver } from '../steps/hand-over.ts';
import { installHaproxy, installPackage } from '../steps/install-package.ts';
import { checkOldServer, type OldServer } from '../steps/check-old-server.ts';
import { disarm, findTakeOver, forgetMove } from '../steps/master-unit.ts';
import { placePackage } from '../steps/place-package.ts';
import { personAt } from './draft.ts';
import { restartOldMaster, type MoveState } from './restart-old-master.ts';
import { installNeeded } from './install-master.ts';
import type { JobControl } from './job-parts.ts';
import { serverOf } from './server-of.ts';
import { setUpMaster } from './set-up-master.ts';

/**
 * Moves the master of a connection to another server. The two masters never run at the same time. Starts the old
 * master again in these cases:
 *
 * - The new master does not start to serve.
 * - The new master cannot reach the nodes.
 * - The job is cancelled before the new master serves.
 *
 * @throws OverworldError MOVE_RETURNED if the old master serves again, MOVE_STUCK if it could not be started;
 *   otherwise the error of the step that failed, or the signal's abort reason
 */
export async function moveMaster(job: JobControl, draft: MoveDraft): Promise<void> {
  const left = await job.step('leave', (step) => checkOldServer(job, step, draft));
  const { handedTo } = left.facts.moving;
  const state: MoveState = {
    from: left.contact,
    to: null,
    target: addressOf(draft.server),
    hasServed: false,
    hasDecided: false,
    isStopped: !left.isRunning,
    isHanded: !left.isRunning && handedTo !== null,
  };
  try {
    await moveFrom(left, { job, draft, state });
  } catch (error) {
    throw await restartOldMaster(job, state, error);
  } finally {
    state.to?.close();
    left.contact.close();
  }
}

interface Move {
  readonly job: JobControl;
  readonly draft: MoveDraft;
  readonly state: MoveState;
}

async function moveFrom(left: OldServer, move: Move): Promise<void> {
  const { job, draft, state } = move;
  const { signal, memory } = job;
  const { server } = draft;
  const address = addressOf(server);
  const to = await connectNew(left, move);
  const checked = await checkNew(to, left, move);
  const { root } = checked;
  await installNew(checked, await placePackage(job, server, checked), move);
  if (state.hasServed) await skipCopy(job);
  else await copyToNew(to, left, move);
  const settings = {
    ownerKey: null,
    sshPort: null,
    hostname: draft.hostname ?? server.host,
    haproxy: draft.haproxy,
    openPorts: draft.openPorts,
    services: false,
  };
  const serving = await setUpMaster(job, {
    root,
    settings,
    address,
    onServed: () => (state.hasServed = true),
  });
  await cleanUp(root, { file: packageName(job.parts.version, checked.arch), signal });
  await job.step('reach', (step) =>
    connectMovedMaster(job, step, {
      connection: draft.connection,
      port: serving.port,
      masterHostKey: left.masterHostKey,
      server: serverOf(server, memory.server),
      nodes: memory.observed ?? [],
      known: checked.problems,
      old: { address: left.contact.address, managesHaproxy: left.facts.moving.managesHaproxy },
      onLost: () => (state.hasServed = state.hasDecided),
    }),
  );
  // Files that remain from this move would prevent another move.
  for (const contact of [to, left.contact]) {
    const renewed = contact.renew(signal);
    await renewed.then((shell) => forgetMove(shell, signal)).catch(() => undefined);
  }
}

async function connectNew(
  { isRunning, masterHostKey }: OldServer,
  { job, draft: { server }, state }: Move,
): Promise<ServerContact> {
  const { parts, memory, signal } = job;
  const purpose = 'installs the master that is moved';
  return job.step('connect', async (step) => {
    const shell = await connectServer(job, step, { server, memory: memory.server, purpose });
    try {
      const root = { shell, sudo: await findSudo(shell, server, signal) };
      const { hostKey } = serverOf(server, memory.server);
      // An earlier run may have been cut off after the new master took over. Then nothing may stop the new master any
      // more. So `state.to`, which a return to the old master uses, is set only after this check.
      const { isHanded } = state;
      const sought = { hostKey: masterHostKey, isHanded, signal };
      const takeOver = isRunning ? 'none' : await findTakeOver(root, sought);
      state.hasServed = takeOver !== 'none';
      state.hasDecided = takeOver === 'decided';
      state.to = new ServerContact({ server, hostKey, logins: parts.logins, root });
      return state.to;
    } catch (error) {
      shell.close();
      throw error;
    }
  });
}

async function checkNew(to: ServerContact, left: OldServer, { job, draft }: Move): Promise<CheckedServer> {
  const { options, dataKib } = left.facts.moving;
  const intent = {
    kind: 'move' as const,
    version: job.parts.version,
    masterHostKey: left.masterHostKey,
    masterPort: sshPortIn(options),
    haproxy: draft.haproxy,
    openPorts: draft.openPorts,
    leaving: { dataKib, isRunning: left.isRunning },
  };
  const { shell } = to.root;
  return job.step('check', (step) =>
    checkServer(job, step, { shell, server: draft.server, intent, known: left.problems }),
  );
}

/** Runs the step `install`. The package enables the master, which must not start on the new server yet. */
async function installNew(checked: CheckedServer, path: string | null, move: Move): Promise<void> {
  const { job, draft, state } = move;
  const { signal } = job;
  const { root, facts } = checked;
  const address = addressOf(draft.server);
  if (state.hasServed) return installNeeded(job, checked, { path, address });
  await job.step('install', async (step) => {
    const control = { step: 'install' as const, address, signal };
    await disarm(root, control);
    state.isHanded = false;
    if (path === null) step.unchanged(`Version ${job.parts.version} is already installed.`);
    else await installPackage(step, { root, path, address, signal, repair: facts.brokenPackages > 0 });
    // Done before the old master is stopped, because the installation takes a while and needs package sources.
    if (draft.haproxy) await installHaproxy({ root, address, signal });
    await disarm(root, control);
  });
}

/** Runs the steps `copy` and `handOver`. */
async function copyToNew(to: ServerContact, left: OldServer, { job, draft, state }: Move): Promise<void> {
  const { parts, memory, signal } = job;
  const copying = { from: left.contact, to, signal };
  const { dataKib, options } = left.facts.moving;
  await job.step('copy', async (step) => {
    const first: Copying = { ...copying, step: 'copy' };
    step.command(copyCommand(personAt(draft.server)));
    await prepareCopy(first, left.isRunning);
    const bytes = await copyAll(step, first, { bytes: (dataKib ?? 0) * 1_024, isRunning: left.isRunning });
    step.detail(`${(bytes / 1_000_000).toFixed(1)} MB are copied to ${to.address}.`);
  });
  const { host, port } = parts.masters.find(draft.connection);
  const ask = { target: { host, port, pin: left.masterHostKey }, identity: parts.identity };
  await job.step('handOver', (step) =>
    handOver(step, {
      ...copying,
      step: 'handOver',
      options,
      ask: left.isRunning ? ask : null,
      onStop: (last) => {
        memory.observed = last?.observed ?? memory.observed;
        state.isStopped = true;
      },
      onHanded: () => (state.isHanded = true),
    }),
  );
}

async function skipCopy(job: JobControl): Promise<void> {
  for (const name of ['copy', 'handOver'] as const) {
    await job.step(name, (step) => {
      step.unchanged('The new master has taken over already.');
      return Promise.resolve();
    });
  }
}
