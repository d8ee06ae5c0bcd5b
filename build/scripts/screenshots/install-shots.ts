import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { InstallJob, InstallStep, InstallStepName } from '#shared/ipc/contract.ts';
import { anInstallJob, stepsOf, stepsUpTo } from '#test/support/app/install-models.ts';
import { showing, withDetails, type Details } from './show-job.ts';
import type { Shot } from './shots.ts';

/** Details and commands as long as on a real server, so that the pictures show how much room they need. */
const about: Details = {
  connect: { detail: 'Logged in as root at play.example.org:22.', ms: 480 },
  check: {
    detail: 'Debian GNU/Linux 12 (bookworm), amd64, 3894 MB of RAM.',
    command: 'sh -s <<\'CHECK\'\n. /etc/os-release\necho "system=$ID $VERSION_ID"\nss -Hltn\nCHECK',
    ms: 610,
  },
  package: { detail: `overworld-master_0.2.0_amd64.deb, SHA-256 ${'5f1c09ab'.repeat(8)}.`, ms: 120 },
  upload: {
    detail: 'overworld-master_0.2.0_amd64.deb, 41.3 MB, SHA-256 verified there.',
    command:
      'scp overworld-master_0.2.0_amd64.deb root@play.example.org:/var/tmp/overworld-5f1c09ab.deb.part',
    ms: 6_200,
  },
  install: { command: 'apt-get install -y /var/lib/overworld-install/overworld-master_0.2.0_amd64.deb' },
  configure: {
    command:
      'overworld-master install --hostname play.example.org --owner-key "ssh-ed25519 AAAA…" --open-ports --json',
  },
};

const steps = (...given: Parameters<typeof stepsUpTo>): InstallJob['steps'] =>
  withDetails(about, stepsUpTo(...given));

const updateSteps = (name: InstallStepName, rest: Partial<InstallStep>): InstallJob['steps'] =>
  withDetails(about, stepsOf('update', name, rest));

const warning = {
  severity: 'warning' as const,
  text: 'Port 25565 is in use by java. Players could not join through HAProxy on that port. Stop it, or leave HAProxy out.',
};
const running = anInstallJob({
  steps: steps('install', { status: 'running' }),
  hostKey: `SHA256:${'qJ3f9cTbW1'.repeat(4)}abc`,
});
const update = { kind: 'update', connection: 'embedded', versionBefore: '0.1.0' } as const;
const uploading = {
  status: 'running' as const,
  progress: { done: 18_400_000, total: 43_300_000 },
};

const states: Readonly<Record<string, InstallJob>> = {
  uploading: anInstallJob({ steps: steps('upload', uploading), problems: [warning] }),
  asking: anInstallJob({ status: 'asking', question: 'trust', hostKey: running.hostKey }),
  login: anInstallJob({ status: 'asking', question: 'login', hostKey: running.hostKey }),
  failed: anInstallJob({
    status: 'failed',
    steps: steps('install', { status: 'failed', ms: 3_100 }),
    error: toWire(
      new OverworldError('INSTALL_STEP_FAILED', {
        step: 'Install the package',
        address: 'root@play.example.org:22',
        why: 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)',
      }),
    ),
  }),
  unsuitable: anInstallJob({
    status: 'failed',
    steps: steps('check', { status: 'failed', ms: 640 }),
    problems: [
      warning,
      {
        severity: 'error',
        text: 'Its system is Alpine Linux 3.20. The package needs Debian 12 or Ubuntu 22.04, or newer.',
      },
    ],
    error: toWire(
      new OverworldError('SERVER_UNSUITABLE', {
        address: 'root@play.example.org:22',
        problems: ['Its system is Alpine Linux 3.20. The package needs Debian 12 or Ubuntu 22.04, or newer.'],
      }),
    ),
  }),
  cancelled: anInstallJob({ status: 'cancelled', steps: steps('upload') }),
  done: anInstallJob({
    status: 'done',
    connection: 'embedded',
    masterHostKey: running.hostKey,
    steps: steps(null).map((step) =>
      step.name === 'install' ? { ...step, status: 'unchanged' as const } : step,
    ),
  }),
  updating: anInstallJob({ ...update, steps: updateSteps('start', { status: 'running' }) }),
  returned: anInstallJob({
    ...update,
    status: 'failed',
    steps: updateSteps('start', { status: 'failed', ms: 61_000 }),
    error: toWire(
      new OverworldError('UPGRADE_RETURNED', {
        version: '0.2.0',
        before: '0.1.0',
        why: 'it did not serve within 60 s',
      }),
    ),
  }),
};

/** The picture that the documentation shows: the steps of an installation, one of them with its command. */
export const installSteps: Shot = {
  name: 'install-steps',
  route: 'connections/+install',
  ...showing(running, async (window) => {
    await window.getByRole('button', { name: 'Show the command: Install the package' }).click();
  }),
};

/** Every state of the dialogs that install and update masters. */
export const installShots: readonly Shot[] = [
  { name: 'install', route: 'connections/+install' },
  {
    name: 'install-options',
    route: 'connections/+install',
    arrange: async (window) => {
      const dialog = window.getByRole('dialog');
      await dialog.getByLabel('Host', { exact: true }).fill('anna@play.example.org');
      await dialog.getByText('Password', { exact: true }).first().click();
      await dialog.getByText('Options', { exact: true }).click();
      await dialog.getByText('Install it yourself with two commands').click();
      await dialog.getByRole('button', { name: 'Install', exact: true }).click();
    },
  },
  { name: 'update', route: 'connections/+update/embedded' },
  installSteps,
  ...Object.entries(states).map(([name, job]) => ({
    name: `install-${name}`,
    route: 'connections/+install',
    ...showing(job),
  })),
];
