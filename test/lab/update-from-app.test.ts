import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallJob, InstallStepName, ServerDraft } from '#shared/ipc/contract.ts';
import { packageName } from '#main/install/package/deb-version.ts';
import { hostArch } from '../../build/scripts/packaging/master/node-runtime.mjs';
import {
  draftFor,
  openInstallingApp,
  statuses,
  type InstallingApp,
} from '../support/install/installing-app.ts';
import { makePerson } from '../support/master/admin-master.ts';
import { waitFor } from '../support/wait-for.ts';
import { sharedLab } from './kit/lab.ts';
import type { LabNode } from './kit/node.ts';
import { MasterPackages, type Variant } from './upgrade/master-packages.ts';
import { nightly } from './kit/nightly.ts';

const lab = sharedLab();
const admin = makePerson('admin');
const arch = hostArch() ?? 'amd64';
let folder: string;
let packages: MasterPackages;
let node: LabNode;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overworld-update-'));
  writeFileSync(join(folder, 'id_ed25519'), admin.privateKey, { mode: 0o600 });
  packages = await MasterPackages.prepare(folder);
  addPackage({ version: '1.0.0' });
  node = await lab.boot({ sshKeys: [admin.publicKey] });
  await node.must('systemctl is-system-running --wait || true');
  await node.waitForSsh();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Builds a package in the folder in which the app looks for packages. */
function addPackage(variant: Variant): void {
  renameSync(packages.deb(variant), join(folder, packageName(variant.version, arch)));
}

const openApp = (version: string, before?: InstallingApp): Promise<InstallingApp> =>
  openInstallingApp({
    ...{ packages: folder, sshFolder: folder, version },
    ...(before === undefined ? {} : { before }),
  });

function root(): ServerDraft {
  const login = { kind: 'keyFile' as const, path: join(folder, 'id_ed25519') };
  return { host: node.address, port: 22, user: 'root', login };
}

/** Expects a job to be done. If the job failed, the message of the assertion contains the job's error. */
function expectDone({ status, error }: InstallJob): void {
  expect({ status, error: error?.message }).toEqual({ status: 'done', error: undefined });
}

/** Returns the id of the app's only connection. */
const connectionOf = ({ settings }: InstallingApp): string => settings.data.connections[0]?.id ?? '';

const installed = () => node.must("dpkg-query -W -f '${db:Status-Status} ${Version}' overworld-master");

/** Logs in to the master. @returns the version of the master */
async function reach(app: InstallingApp): Promise<string> {
  await app.connections.use(connectionOf(app));
  await waitFor(() => app.link.link.status === 'connected', { what: 'the app to be connected' });
  return (await app.link.call('master.info', {})).version;
}

describe('an update of a master by the app', () => {
  let app: InstallingApp;

  /** Opens the app with its data again, as after an update of the app to this version. */
  async function updated(version: string): Promise<InstallingApp> {
    return openApp(version, app);
  }

  it('replaces the version that an older app has installed, without asking about the host key again', async () => {
    app = await openApp('1.0.0');
    app.installs.install(draftFor(root()));
    const first = await app.untilEnded();
    expectDone(first);

    addPackage({ version: '1.1.0' });
    const newer = await updated('1.1.0');
    const remembered = newer.installs.serverOf(connectionOf(newer));
    expect(remembered).toEqual(root());
    const started = newer.installs.update(connectionOf(newer), root());
    expect(started).toMatchObject({ kind: 'update', connection: first.connection });
    const job = await newer.untilEnded();
    expectDone(job);
    expect(job).toMatchObject({
      versionBefore: '1.0.0',
      version: '1.1.0',
      masterHostKey: first.masterHostKey,
    });
    expect(new Set(Object.values(statuses(job)))).toEqual(new Set(['done']));
    expect(newer.asked.map(({ title }) => title)).toEqual(['Log in to a server']);
    expect(await installed()).toBe('installed 1.1.0');
    expect(await reach(newer)).toBe('1.1.0');
    expect(
      await node.must('ls -d /var/tmp/overworld-* /var/lib/overworld-install 2> /dev/null || true'),
    ).toBe('');
  });

  it('changes nothing if the version of the app is already installed', async () => {
    const same = await updated('1.1.0');
    const pid = await node.must('systemctl show overworld-master -p MainPID --value');
    same.installs.update(connectionOf(same), root());
    const job = await same.untilEnded();
    expectDone(job);
    expect(statuses(job)).toEqual({
      ...{ connect: 'done', check: 'done', package: 'unchanged', upload: 'unchanged', install: 'unchanged' },
      ...{ start: 'unchanged', reach: 'done' },
    });
    expect(await node.must('systemctl show overworld-master -p MainPID --value')).toBe(pid);
  });

  it('is refused if the master is newer than the app, or if the server has another master', async () => {
    const older = await updated('1.0.0');
    older.installs.update(connectionOf(older), root());
    expect((await older.untilEnded()).error?.message).toContain('newer than 1.0.0 of this app');

    const other = await updated('1.1.0');
    await other.settings.update({
      connections: other.settings.data.connections.map((one) => ({ ...one, hostKey: 'SHA256:other' })),
    });
    other.installs.update(connectionOf(other), root());
    const job = await other.untilEnded();
    expect(job).toMatchObject({ status: 'failed', error: { code: 'SERVER_UNSUITABLE' } });
    expect(job.error?.message).toContain('Another master than that of the connection');
  });

  it.runIf(nightly)('is undone if the new version does not start, and the app reports this', async () => {
    addPackage({ version: '1.2.0', code: "if (command === 'run') process.exit(3);" });
    const broken = await updated('1.2.0');
    broken.installs.update(connectionOf(broken), root());
    const job = await broken.untilEnded();
    expect(job).toMatchObject({ status: 'failed', error: { code: 'UPGRADE_RETURNED' } });
    expect(statuses(job)).toMatchObject({ install: 'done', start: 'failed' });
    expect(await installed()).toBe('installed 1.1.0');
    expect(await reach(broken)).toBe('1.1.0');
  });

  it.runIf(nightly)(
    'continues on the server while the connection is broken, and the app reports the result later',
    async () => {
      addPackage({ version: '1.3.0' });
      const cutOff = await updated('1.3.0');
      const cutAt: InstallStepName[] = ['install', 'start'];
      const cut = new Set<InstallStepName>();
      cutOff.onState = ({ steps }) => {
        const running = steps.find(({ status }) => status === 'running');
        if (running === undefined || cut.has(running.name) || !cutAt.includes(running.name)) return;
        // Wait until the upgrade has reported something.
        if (running.name === 'install' && running.detail === null) return;
        cut.add(running.name);
        void node.run(`pkill -KILL -f '^sshd: [a-z]+(@notty| \\[)'`);
      };
      cutOff.installs.update(connectionOf(cutOff), root());
      let job = await cutOff.untilEnded();
      expect(job.error?.code).toBe('SERVER_CONNECTION_LOST');
      while (job.error?.code === 'SERVER_CONNECTION_LOST') {
        cutOff.installs.resume(job.id, undefined);
        job = await cutOff.untilEnded();
      }
      expectDone(job);
      expect(job.versionBefore).toBe('1.1.0');
      expect(await installed()).toBe('installed 1.3.0');
      expect(await reach(cutOff)).toBe('1.3.0');
    },
  );

  it.runIf(nightly)(
    'is still completed on the server if the user cancels it, and only then becomes "cancelled"',
    async () => {
      addPackage({ version: '1.4.0' });
      const hasty = await updated('1.4.0');
      hasty.onState = ({ id, status, steps }) => {
        const install = steps.find(({ name }) => name === 'install');
        if (status === 'running' && install?.status === 'running' && install.detail !== null) {
          hasty.onState = () => undefined;
          void hasty.installs.cancel(id);
        }
      };
      hasty.installs.update(connectionOf(hasty), root());
      const job = await hasty.untilEnded();
      expect(job.status).toBe('cancelled');
      expect((await node.run('systemctl is-active overworld-master-upgrade')).stdout.trim()).toBe('inactive');
      expect(await installed()).toBe('installed 1.4.0');
      hasty.installs.resume(job.id, undefined);
      const done = await hasty.untilEnded();
      expectDone(done);
      expect(done.versionBefore).toBe('1.3.0');
      expect(await reach(hasty)).toBe('1.4.0');
    },
  );
});
