import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallJob, InstallStepName, ServerDraft, ServerLogin } from '#shared/ipc/contract.ts';
import { VERSION } from '#shared/version.ts';
import { makeMasterDeb } from '../../build/scripts/packaging/master/make-master.mjs';
import { ensureNodeRuntime, hostArch } from '../../build/scripts/packaging/master/node-runtime.mjs';
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
import { debs, plantRepository } from './kit/repository.ts';
import { nightly } from './kit/nightly.ts';

/** Time of the files in the packages (Unix time, s). */
const dateS = 1_735_689_600;

const lab = sharedLab();
const admin = makePerson('admin');
let packages: string;
let sshFolder: string;

beforeAll(async () => {
  const arch = hostArch() ?? 'amd64';
  const node = await ensureNodeRuntime(arch);
  packages = await mkdtemp(join(tmpdir(), 'overworld-packages-'));
  sshFolder = await mkdtemp(join(tmpdir(), 'overworld-ssh-'));
  writeFileSync(join(sshFolder, 'id_ed25519'), admin.privateKey, { mode: 0o600 });
  // Not compressed, because compression takes a minute.
  await makeMasterDeb({ out: packages, arch, version: VERSION, node, dateS, compression: 'none' });
});
afterAll(async () => {
  for (const folder of [packages, sshFolder]) await rm(folder, { recursive: true, force: true });
});

async function bootServer(): Promise<LabNode> {
  const node = await lab.boot({ sshKeys: [admin.publicKey] });
  await node.must('systemctl is-system-running --wait || true');
  await node.waitForSsh();
  return node;
}

const openApp = (): Promise<InstallingApp> => openInstallingApp({ packages, sshFolder });

function rootAt(node: LabNode): ServerDraft {
  const login: ServerLogin = { kind: 'keyFile', path: join(sshFolder, 'id_ed25519') };
  return { host: node.address, port: 22, user: 'root', login };
}

/** Expects a job to be done. If the job failed, the message of the assertion contains the job's error. */
function expectDone(job: InstallJob): void {
  const { status, error, problems } = job;
  expect({ status, error: error?.message, problems: status === 'done' ? [] : problems }).toEqual({
    ...{ status: 'done', error: undefined, problems: [] },
  });
}

async function masterKeyOf(node: LabNode): Promise<string> {
  return (await node.must('ssh-keygen -lf /var/lib/overworld/config/host_key')).split(' ')[1] ?? '';
}

async function pidOf(node: LabNode): Promise<string> {
  return node.must('systemctl show overworld-master -p MainPID --value');
}

/** Breaks all SSH connections to the node. As in a broken network, neither side closes the connections properly. */
async function cutConnections(node: LabNode): Promise<void> {
  await node.run(`pkill -KILL -f '^sshd: [a-z]+(@notty| \\[)'`);
}

/** Waits until the app is connected to the master of a connection profile. */
async function use(app: InstallingApp, connection: string | null): Promise<void> {
  await app.connections.use(connection ?? '');
  await waitFor(() => app.link.link.status === 'connected', { what: 'the app to be connected' });
}

/** Lists the files that a job has left on the server. */
async function remains(node: LabNode): Promise<string> {
  return node.must('ls -d /var/tmp/overworld-* /var/lib/overworld-install 2> /dev/null || true');
}

describe('the installation of a master by the app on a new server', () => {
  let node: LabNode;
  let done: InstallJob;

  beforeAll(async () => {
    node = await bootServer();
  });

  it('starts a master to which the app can connect', async () => {
    const app = await openApp();
    app.installs.install(draftFor(rootAt(node)));
    done = await app.untilEnded();
    expectDone(done);
    expect(done).toMatchObject({ error: null, versionBefore: null, version: VERSION });
    expect(new Set(Object.values(statuses(done)))).toEqual(new Set(['done']));
    expect(app.asked.map(({ title }) => title)).toEqual(['Trust a server']);

    expect(done.masterHostKey).toBe(await masterKeyOf(node));
    const [saved] = app.settings.data.connections;
    expect(saved).toMatchObject({
      ...{ id: done.connection, name: 'Production', host: node.address, port: 2022 },
      hostKey: done.masterHostKey,
      server: { host: node.address, port: 22, user: 'root', hostKey: { fingerprint: done.hostKey } },
    });
    await use(app, done.connection);
    const info = await app.link.call('master.info', {});
    expect(info).toMatchObject({ version: VERSION, you: { role: 'owner', name: 'anna@laptop' } });
    expect(await node.must('cat /var/lib/overworld/config/master.json')).toContain(`"${node.address}"`);
    expect(await node.must('systemctl is-enabled overworld-master')).toBe('enabled');
    expect(await remains(node)).toBe('');
    expect(await node.must('systemctl list-units --failed --no-legend')).toBe('');
  });

  it('changes nothing when it is repeated', async () => {
    const app = await openApp();
    const [pid, files] = [await pidOf(node), await node.must(`${listing} | sha256sum`)];
    app.installs.install(draftFor(rootAt(node)));
    const again = await app.untilEnded();
    expectDone(again);
    expect(again).toMatchObject({ versionBefore: VERSION, masterHostKey: done.masterHostKey });
    // The key of this app differs from the key of the first app. The job adds this key to the master.
    expect(statuses(again)).toEqual({
      ...{ connect: 'done', check: 'done', package: 'unchanged', upload: 'unchanged', install: 'unchanged' },
      ...{ configure: 'done', start: 'unchanged', reach: 'done' },
    });
    app.installs.install(draftFor(rootAt(node)));
    const third = await app.untilEnded();
    expectDone(third);
    expect(statuses(third)).toMatchObject({ configure: 'unchanged', start: 'unchanged' });
    expect(third.connection).toBe(again.connection);
    expect(app.settings.data.connections).toHaveLength(1);
    expect(await pidOf(node)).toBe(pid);
    expect(await node.must(`${listing} | sha256sum`)).toBe(files);
    expect(await remains(node)).toBe('');
  });

  it('changes nothing if another program uses the port of the master', async () => {
    const other = await bootServer();
    await other.must('systemd-run --unit=squatter nc -lk 2022');
    const app = await openApp();
    app.installs.install(draftFor(rootAt(other)));
    const failed = await app.untilEnded();
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'SERVER_UNSUITABLE' } });
    expect(failed.error?.message).toMatch(/Port 2022 of the master is used by nc \(process \d+\)/);
    expect(await remains(other)).toBe('');
    app.installs.close(failed.id);
    expect(app.installs.job).toBeNull();
    await lab.destroy(other);
  });

  describe.runIf(nightly)('with sudo', () => {
    const password = 'pa$$ "wort\'';

    beforeAll(async () => {
      await node.must('useradd -m -s /bin/bash anna && useradd -m -s /bin/bash ben');
      await node.must('chpasswd', { input: `anna:${password}\nben:${password}\n` });
      await node.must('usermod -aG sudo anna');
      await node.must(
        `printf 'PasswordAuthentication yes\\n' > /etc/ssh/sshd_config.d/05-password.conf && systemctl restart ssh`,
      );
    });

    async function runAs(user: string, changes: Partial<ServerDraft> = {}) {
      const app = await openApp();
      const login: ServerLogin = { kind: 'password', password };
      app.installs.install(draftFor({ host: node.address, port: 22, user, login, ...changes }));
      const ended = await app.untilEnded();
      expect(JSON.stringify(app.states)).not.toContain('wort');
      return ended;
    }

    it('succeeds for a user with a sudo password, and neither shows nor stores the password', async () => {
      const app = await openApp();
      const login: ServerLogin = { kind: 'password', password };
      app.installs.install(
        draftFor({ host: node.address, port: 22, user: 'anna', login, sudoPassword: password }),
      );
      // Command lines of all processes on the server while the job runs.
      const seen = new Set<string>();
      while (app.installs.job?.status === 'running' || app.installs.job?.status === 'asking') {
        for (const line of (await node.must('ps -eww -o args=')).split('\n')) seen.add(line);
      }
      const ended = await app.untilEnded();
      expectDone(ended);
      expect(ended.steps.find(({ name }) => name === 'configure')?.command).toMatch(
        /^sudo overworld-master install/,
      );
      expect([...seen].filter((line) => line.includes('sudo')).length).toBeGreaterThan(0);
      expect([...seen].filter((line) => line.includes('wort'))).toEqual([]);
      expect(await node.must('journalctl --no-pager -o cat')).not.toContain('wort');
      expect(JSON.stringify(app.states)).not.toContain('wort');
      expect(app.settings.data.connections[0]?.server?.login).toEqual({ kind: 'password' });
      expect(JSON.stringify(app.settings.data)).not.toContain('wort');
    });

    it.each([
      { what: 'a wrong password', user: 'anna', sudoPassword: 'wrong', why: /does not accept the password/ },
      { what: 'no password', user: 'anna', sudoPassword: undefined, why: /asks for a password/ },
      { what: 'a user who may not use sudo', user: 'ben', sudoPassword: password, why: /may not use sudo/ },
      { what: 'a password with a line end', user: 'anna', sudoPassword: 'a\nb', why: /line end/ },
    ])('fails with $what', async ({ user, sudoPassword, why }) => {
      const ended = await runAs(user, sudoPassword === undefined ? {} : { sudoPassword });
      expect(ended).toMatchObject({
        error: { code: 'SERVER_SUDO_REFUSED', details: { user, why: expect.stringMatching(why) as string } },
      });
    });

    it('succeeds with a keyboard-interactive login if sudo needs no password, with or without an entered password', async () => {
      await node.must(`echo 'ben ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/ben`);
      await node.must(
        `printf 'PasswordAuthentication no\\nKbdInteractiveAuthentication yes\\n' > /etc/ssh/sshd_config.d/05-password.conf && systemctl restart ssh`,
      );
      for (const changes of [{}, { sudoPassword: 'not needed' }]) {
        expectDone(await runAs('ben', changes));
      }
    });
  });
});

/**
 * Lists the names, owners, modes and modification times of all files that an installation may change, except the
 * files in `state/` and `keys.json`.
 */
const listing =
  "find /etc /var/lib/overworld /usr/lib/overworld-master -xdev -type f ! -path '*/state/*' ! -name keys.json -printf '%p %u %m %T@\\n' | sort";

describe.runIf(nightly)('an installation whose connection breaks', () => {
  it('can continue at each step, with the same result as without an interruption', async () => {
    const node = await bootServer();
    const app = await openApp();
    const cutAt: InstallStepName[] = ['check', 'upload', 'install', 'configure', 'start'];
    const cut = new Set<InstallStepName>();
    const failures: (string | undefined)[] = [];
    app.onState = ({ steps }) => {
      const running = steps.find(({ status }) => status === 'running');
      if (running === undefined || cut.has(running.name) || !cutAt.includes(running.name)) return;
      // Break the connection when half of the file is uploaded.
      if (running.name === 'upload' && (running.progress?.done ?? 0) < (running.progress?.total ?? 1) / 2)
        return;
      cut.add(running.name);
      void cutConnections(node);
    };
    app.installs.install(draftFor(rootAt(node)));
    let ended = await app.untilEnded();
    while (ended.status === 'failed' && failures.length < 10) {
      failures.push(ended.error?.code);
      app.installs.resume(ended.id, undefined);
      ended = await app.untilEnded();
    }
    expectDone(ended);
    expect(ended.versionBefore).toBeNull();
    expect([...cut]).toEqual(cutAt);
    expect(new Set(failures)).toEqual(new Set(['SERVER_CONNECTION_LOST']));
    expect(failures.length).toBeGreaterThanOrEqual(4);
    expect(await node.must('dpkg --audit')).toBe('');
    expect(await node.must('dpkg --verify overworld-master')).toBe('');
    expect(await node.must(`systemctl is-active overworld-install.service || true`)).toBe('inactive');
    expect(await remains(node)).toBe('');
    await use(app, ended.connection);
    expect(await app.link.call('master.info', {})).toMatchObject({ you: { role: 'owner' } });
    await lab.destroy(node);
  });
});

describe.runIf(nightly)('a cancelled installation', () => {
  it('leaves no processes behind, waits until dpkg has finished, and can continue', async () => {
    const node = await bootServer();
    const app = await openApp();
    const cancelAt: InstallStepName[] = ['upload', 'install', 'configure'];
    const cancelled = new Set<InstallStepName>();
    const cancel = (name: InstallStepName): void => {
      cancelled.add(name);
      void app.installs.cancel(app.installs.job?.id ?? '');
    };
    app.onState = ({ steps }) => {
      const running = steps.find(({ status }) => status === 'running');
      if (running === undefined || cancelled.has(running.name) || !cancelAt.includes(running.name)) return;
      if (running.name !== 'upload' || running.progress !== null) cancel(running.name);
    };
    const expectNothingLeft = async (job: InstallJob): Promise<void> => {
      expect(job).toMatchObject({ status: 'cancelled', error: null });
      await waitFor(async () => (await leftProcesses(node)) === '', { what: 'the processes to end' });
      expect(await node.must('dpkg --audit')).toBe('');
    };
    app.installs.install(draftFor(rootAt(node)));
    for (const name of ['upload', 'install'] as const) {
      const ended = await app.untilEnded();
      await expectNothingLeft(ended);
      expect(statuses(ended)[name]).toBe('waiting');
      expect(cancelled.has(name)).toBe(true);
      app.installs.resume(ended.id, undefined);
    }

    // While dpkg runs, a cancelled job waits for dpkg, so the step is completed.
    const isDpkg = 'test -e /var/lib/overworld-install/protected && pgrep -f "^/usr/bin/dpkg .*--unpack"';
    await waitFor(async () => (await node.run(isDpkg)).code === 0, { what: 'dpkg to run' });
    cancel('install');
    const installed = await app.untilEnded();
    await expectNothingLeft(installed);
    expect(statuses(installed)).toMatchObject({ install: 'done', configure: 'waiting' });
    expect(await node.must("dpkg-query -W -f '${db:Status-Status}' overworld-master")).toBe('installed');

    app.installs.resume(installed.id, undefined);
    const configuring = await app.untilEnded();
    await expectNothingLeft(configuring);
    expect(statuses(configuring).configure).toBe('waiting');
    app.installs.resume(configuring.id, undefined);
    const ended = await app.untilEnded();
    expectDone(ended);
    expect(ended.versionBefore).toBeNull();
    await lab.destroy(node);
  });

  /**
   * Returns the processes of a job. The brackets in the pattern prevent pgrep from finding the shell of this command.
   */
  function leftProcesses(node: LabNode): Promise<string> {
    return node.must(`pgrep -a -f '[o]verworld-install|[o]verworld-master install|^apt-get|^dd bs' || true`);
  }
});

describe.runIf(nightly && debs !== null)('an installation with HAProxy and a firewall', () => {
  it('fails with a reason if package sources are missing, and can be continued once they exist', async () => {
    const node = await bootServer();
    await node.must(
      `nft 'add table inet filter; add chain inet filter input { type filter hook input priority 0; policy drop; }; add rule inet filter input ct state established,related accept; add rule inet filter input iif lo accept; add rule inet filter input tcp dport 22 accept'`,
    );
    const app = await openApp();
    app.installs.install(draftFor(rootAt(node), { haproxy: true, openPorts: true }));
    // This server has no package sources yet.
    const failed = await app.untilEnded();
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'INSTALL_STEP_FAILED' } });
    expect(failed.error?.details['why']).toMatch(/haproxy/);
    expect(statuses(failed)).toMatchObject({ install: 'done', configure: 'failed', start: 'waiting' });

    plantRepository(node.root, debs ?? '');
    app.installs.resume(failed.id, undefined);
    const ended = await app.untilEnded();
    expectDone(ended);
    expect(await node.must('systemctl is-active haproxy')).toBe('active');
    await use(app, ended.connection);
    await lab.destroy(node);
  });
});
