import type { Page } from 'playwright';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { InstallJob } from '#shared/ipc/contract.ts';
import { aMoveJob, stepsOf } from '#test/support/app/install-models.ts';
import { showing, withDetails } from './show-job.ts';
import type { Shot } from './shots.ts';

const NEW = 'root@play.example.org:22';
const hostKey = `SHA256:${'qJ3f9cTbW1'.repeat(4)}abc`;

type Steps = Parameters<typeof stepsOf> extends [unknown, ...infer Rest] ? Rest : never;

const steps = (...given: Steps): InstallJob['steps'] =>
  withDetails(
    {
      leave: { detail: 'Debian GNU/Linux 12 (bookworm), overworld-master 0.2.0, 312 MB of data.', ms: 900 },
      connect: { detail: `Logged in as root at ${NEW.slice(5)}.`, ms: 480 },
      check: {
        detail: 'Debian GNU/Linux 13 (trixie), amd64, 7862 MB of RAM.',
        command: 'sh check.sh',
        ms: 610,
      },
      package: { detail: 'overworld-master_0.2.0_amd64.deb', ms: 120 },
      upload: { detail: 'overworld-master_0.2.0_amd64.deb, 41.3 MB, SHA-256 verified there.', ms: 6_200 },
      install: { command: 'apt-get install -y overworld-master_0.2.0_amd64.deb', ms: 14_300 },
      copy: { command: 'tar -C /var/lib -cpf - overworld', ms: 21_000 },
      handOver: { command: 'systemctl disable --now overworld-master', ms: 2_100 },
    },
    stepsOf('move', ...given),
  );

const moved = { connection: 'embedded', hostKeyOf: NEW, hostKey } as const;
const copying = { status: 'running' as const, progress: { done: 118_400_000, total: 327_300_000 } };

const warning = {
  severity: 'warning' as const,
  text: 'It manages HAProxy there, and the new server gets none. Players cannot join there until it has one.',
};

const states: Readonly<Record<string, InstallJob>> = {
  copying: aMoveJob({ ...moved, steps: steps('copy', copying), problems: [warning] }),
  starting: aMoveJob({ ...moved, steps: steps('start', { status: 'running' }) }),
  asking: aMoveJob({ connection: 'embedded', status: 'asking', question: 'trust', hostKey }),
  failed: aMoveJob({
    ...moved,
    status: 'failed',
    steps: steps('check', { status: 'failed', ms: 640 }),
    error: toWire(
      new OverworldError('SERVER_UNREACHABLE', { address: NEW, why: 'it does not answer within 10 s' }),
    ),
  }),
  cancelled: aMoveJob({ ...moved, status: 'cancelled', steps: steps('configure') }),
  reaching: aMoveJob({ ...moved, steps: steps('reach', { status: 'running' }) }),
  done: aMoveJob({ ...moved, status: 'done', steps: steps(null) }),
};

const route = 'connections/+move/embedded';

/** Fills in the old server, and shows the new one. */
async function toNewServer(window: Page): Promise<void> {
  const dialog = window.getByRole('dialog');
  await dialog.getByLabel('Host', { exact: true }).fill('root@berlin.example');
  await dialog.getByText('Password', { exact: true }).first().click();
  await dialog.getByRole('textbox', { name: 'Password', exact: true }).fill('secret');
  await dialog.getByRole('button', { name: 'Continue' }).click();
}

/** Every state of the dialog that moves a master. */
export const moveShots: readonly Shot[] = [
  { name: 'move', route },
  { name: 'move-new', route, arrange: toNewServer },
  {
    name: 'move-options',
    route,
    arrange: async (window) => {
      await toNewServer(window);
      const dialog = window.getByRole('dialog');
      await dialog.getByLabel('User').fill('anna');
      await dialog.getByText('Options', { exact: true }).click();
      await dialog.getByRole('button', { name: 'Move the master' }).click();
    },
  },
  ...Object.entries(states).map(([name, job]) => ({ name: `move-${name}`, route, ...showing(job) })),
  {
    name: 'move-logins',
    route,
    ...showing(states['failed'] ?? aMoveJob(), (window) =>
      window.getByRole('button', { name: 'Edit logins…' }).click(),
    ),
  },
];
