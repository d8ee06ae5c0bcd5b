import { join } from 'node:path';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { InstallDraft, InstallJob, InstallStepName, ServerDraft } from '#shared/ipc/contract.ts';
import { Connections } from '#main/connections/connections.ts';
import { MasterLink } from '#main/connections/link.ts';
import { InstallJobs } from '#main/install/jobs.ts';
import { KnownMasters } from '#main/install/known-masters.ts';
import { KeyFiles } from '#main/install/server/key-files.ts';
import { readKnownHosts } from '#main/install/server/known-hosts.ts';
import { openSettings, type SettingsFile } from '#main/vault/settings.ts';
import type { AppIdentity } from '#main/vault/identity.ts';
import type { DialogQuestion } from '#main/window/ask.ts';
import { VERSION } from '#shared/version.ts';
import { toIdentity } from '../identity.ts';
import { makePerson } from '../master/admin-master.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

/**
 * The parts of the app that install masters, without a window. A simulated person confirms each dialog of the system.
 */
export interface InstallingApp {
  readonly installs: InstallJobs;
  readonly connections: Connections;
  readonly link: MasterLink;
  readonly settings: SettingsFile;
  readonly settingsPath: string;
  /** Questions of the system's dialogs so far. */
  readonly asked: readonly DialogQuestion[];
  /** All states of jobs so far, oldest first. */
  readonly states: readonly InstallJob[];
  readonly identity: AppIdentity;
  /** Called with each new state of a job. */
  onState: (job: InstallJob) => void;
  /** Waits until the job has ended. Until then, trusts the host key each time the window would ask. */
  untilEnded(): Promise<InstallJob>;
}

interface InstallingAppOptions {
  /** Folder with the packages of masters. */
  readonly packages: string;
  /** Folder of the person's SSH files. */
  readonly sshFolder: string;
  /** Version of the app, and of the packages that it looks for. */
  readonly version?: string;
  /** The same app before an update of the app. The new app keeps its key and connections. */
  readonly before?: InstallingApp;
}

const log = pino({ level: 'silent' });

export async function openInstallingApp(options: InstallingAppOptions): Promise<InstallingApp> {
  const { packages, sshFolder, version = VERSION, before } = options;
  const settingsPath = join(temporaryFolder(), 'settings.json');
  const settings = await openSettings(settingsPath, log);
  const identity = before?.identity ?? toIdentity(makePerson('app'));
  if (before !== undefined) await settings.update({ connections: before.settings.data.connections });
  const asked: DialogQuestion[] = [];
  const states: InstallJob[] = [];
  const ask = (question: DialogQuestion) => {
    asked.push(question);
    return Promise.resolve({ confirmed: true, remember: false });
  };
  const link = new MasterLink({
    subject: { connection: 'embedded', kind: 'embedded', name: 'This computer' },
    identity,
    onChange: (state) => connections.linkChanged(state),
    onNotification: () => undefined,
  });
  onTestFinished(async () => {
    link.close();
    await app.installs.end();
    // Wait for running writes, because the folder of the settings is deleted next.
    await settings.update({});
  });
  const nothing = () => undefined;
  const connections = new Connections({
    ...{ settings, link, identity, log, ask, onChange: nothing, onSwitch: nothing, onOtherMaster: nothing },
    embedded: { enter: nothing, leave: nothing, retry: nothing, restart: () => Promise.resolve() },
    unsaved: { names: [] },
  });
  const masters = new KnownMasters(settings, connections);
  const keyFiles = new KeyFiles({ folder: sshFolder, remembered: () => masters.keyPaths() });
  const app: InstallingApp = {
    ...{ connections, link, settings, settingsPath, asked, states, identity },
    installs: new InstallJobs({
      ...{ keyFiles, log },
      parts: {
        ...{ version, identity, masters, ask, ownerName: 'anna@laptop' },
        packages: { folder: packages, build: null },
        logins: { keyFiles, agent: () => Promise.resolve(null) },
        knownHostKeys: (address) => readKnownHosts(address, [join(sshFolder, 'known_hosts')]),
      },
      onChange: (job) => {
        if (job === null) return;
        states.push(job);
        if (job.question === 'trust') setImmediate(() => app.installs.answer(job.id, true));
        app.onState(job);
      },
    }),
    onState: nothing,
    untilEnded: () =>
      waitFor(
        () => {
          const { job } = app.installs;
          return job !== null && job.status !== 'running' && job.status !== 'asking' ? job : null;
        },
        { what: `the job to end: ${JSON.stringify(app.installs.job)}`, timeoutMs: 600_000 },
      ),
  };
  return app;
}

/** Returns the draft of an installation with the defaults of the window. */
export function draftFor(server: ServerDraft, changes: Partial<InstallDraft> = {}): InstallDraft {
  return {
    ...{ server, name: 'Production', masterPort: 2022, hostname: null, haproxy: false, openPorts: false },
    services: false,
    ...changes,
  };
}

/** Returns the status of each step. */
export function statuses({ steps }: InstallJob): Partial<Record<InstallStepName, string>> {
  return Object.fromEntries(steps.map(({ name, status }) => [name, status]));
}
