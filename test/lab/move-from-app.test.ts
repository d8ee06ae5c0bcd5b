import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageName } from '#main/install/package/deb-version.ts';
import type { InstallJob, InstallStepName, MoveDraft, ServerDraft } from '#shared/ipc/contract.ts';
import { hostArch } from '../../build/scripts/packaging/master/node-runtime.mjs';
import { FAKE_TOKEN } from '../fake/hetzner/fake-hetzner.ts';
import {
  draftFor,
  openInstallingApp,
  statuses,
  type InstallingApp,
} from '../support/install/installing-app.ts';
import { makePerson } from '../support/master/admin-master.ts';
import { SMALL } from '../support/master/network.ts';
import { joinAsPlayer, type Player } from '../support/players/player.ts';
import { waitFor } from '../support/wait-for.ts';
import { openCloud, type LabCloud } from './kit/cloud.ts';
import { sharedLab } from './kit/lab.ts';
import { nightly } from './kit/nightly.ts';
import type { LabNode } from './kit/node.ts';
import { changeDocument } from './kit/packaged-master.ts';
import { hubAddress } from './kit/surroundings.ts';
import { jvmsOn, type Jvm } from './stage/jvms.ts';
import { MasterPackages, type Variant } from './upgrade/master-packages.ts';

/** Number of players who are online during all moves. */
const PLAYERS = 50;

const lab = sharedLab();
const admin = makePerson('admin');
const arch = hostArch() ?? 'amd64';
const players: Player[] = [];
let folder: string;
let packages: MasterPackages;
let cloud: LabCloud;
let old: LabNode;
let fresh: LabNode;
let app: InstallingApp;
let jvms: Jvm[];

/** Builds a package in the folder in which the app looks for packages. */
function addPackage(variant: Variant): void {
  renameSync(packages.deb(variant), join(folder, packageName(variant.version, arch)));
}

const openApp = (version: string, before?: InstallingApp): Promise<InstallingApp> =>
  openInstallingApp({
    ...{ packages: folder, sshFolder: folder, version },
    ...(before === undefined ? {} : { before }),
  });

async function bootServer(name: string): Promise<LabNode> {
  const node = await lab.boot({ name, sshKeys: [admin.publicKey] });
  await node.must('systemctl is-system-running --wait || true');
  await node.waitForSsh();
  return node;
}

function rootAt(node: LabNode): ServerDraft {
  const login = { kind: 'keyFile' as const, path: join(folder, 'id_ed25519') };
  return { host: node.address, port: 22, user: 'root', login };
}

const connectionOf = ({ settings }: InstallingApp): string => settings.data.connections[0]?.id ?? '';

function moveDraft(of: InstallingApp, from: LabNode, to: LabNode): MoveDraft {
  return {
    ...{ connection: connectionOf(of), from: rootAt(from), server: rootAt(to) },
    ...{ hostname: null, haproxy: false, openPorts: false },
  };
}

/** Expects a job to be done. If the job failed, the message of the assertion contains the job's error. */
function expectDone({ status, error, problems }: InstallJob): void {
  expect({ status, error: error?.message, problems }).toEqual({
    ...{ status: 'done', error: undefined, problems },
  });
}

/** Returns the services that the master on a server lists, such as `lobby-1 IN_USE node-1`. */
async function services(node: LabNode): Promise<string> {
  const list = JSON.parse(await node.must('overworld-master service list --json')) as {
    readonly id: string;
    readonly state: string;
    readonly node: string | null;
  }[];
  return list
    .map((service) => `${service.id} ${service.state} ${service.node ?? '-'}`)
    .sort()
    .join(', ');
}

async function untilServices(node: LabNode, wanted: string): Promise<void> {
  await waitFor(async () => (await services(node)) === wanted, { timeoutMs: 90_000, what: wanted });
}

const IN_USE = 'lobby-1 IN_USE node-1, lobby-2 IN_USE node-1';

/** Returns whether the master's unit on a server is enabled and whether it runs, such as `enabled active`. */
async function unitOf(node: LabNode): Promise<string> {
  const show = 'systemctl is-enabled overworld-master; systemctl is-active overworld-master';
  return (await node.run(show)).stdout.trim().split('\n').join(' ');
}

/** Waits until the job has ended. Until then, checks that masters never run on both servers at once. */
async function untilEnded(moving: InstallingApp): Promise<InstallJob> {
  let hasEnded = false;
  const pid = 'systemctl show overworld-master -p MainPID --value';
  const watch = async (): Promise<number> => {
    let looks = 0;
    while (!hasEnded) {
      const [a, b] = await Promise.all([old.must(pid), fresh.must(pid)]);
      expect([a, b], 'at most one master runs').toContain('0');
      looks += 1;
    }
    return looks;
  };
  const watched = watch();
  const ended = await moving.untilEnded().finally(() => (hasEnded = true));
  expect(await watched).toBeGreaterThan(5);
  return ended;
}

/** Expects that no player and no service has noticed anything. */
async function expectUnnoticed(): Promise<void> {
  await Promise.all(players.map((player) => player.stay()));
  expect(players.filter(({ isGone }) => isGone)).toHaveLength(0);
  expect(await jvmsOn(cloud.nodes)).toEqual(jvms);
  expect(cloud.api.everOrdered()).toHaveLength(1);
}

/**
 * Command that prints digests of all files that people have configured or uploaded, except `master.json`, which
 * contains the address of the master.
 */
const content =
  "cd /var/lib/overworld && find config templates files -type f ! -name master.json | sort | xargs -d '\\n' sha256sum";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overworld-move-'));
  writeFileSync(join(folder, 'id_ed25519'), admin.privateKey, { mode: 0o600 });
  packages = await MasterPackages.prepare(folder);
  addPackage({ version: '1.0.0' });
  cloud = await openCloud(lab, hubAddress);
  [old, fresh] = await Promise.all([bootServer('old'), bootServer('fresh')]);
});
afterAll(async () => {
  for (const player of players) player.drop();
  await cloud.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the server that the master is on, and the other one. */
function places(): readonly [LabNode, LabNode] {
  return app.settings.data.connections[0]?.host === old.address ? [old, fresh] : [fresh, old];
}

describe('the move of a master by the app to another server', () => {
  it('begins with a master that the app has installed, and with 50 players', async () => {
    app = await openApp('1.0.0');
    app.installs.install(draftFor(rootAt(old)));
    expectDone(await app.untilEnded());
    await old.must('systemctl stop overworld-master');
    await changeDocument(old, 'config/master.json', (config) => ({
      ...config,
      provider: { api_token: FAKE_TOKEN, server_type: 'cpx', location: 'nbg1', configure_mode: false },
      firewall_rules: [{ port: '25565-25999', protocol: 'tcp' }],
    }));
    await changeDocument(old, 'config/templates/lobby.json', () => ({
      ...SMALL,
      ...{ maxPlayers: 100, minimumRunningServers: 2, maximumOnlineServers: 2 },
    }));
    await old.must(
      'runuser -u overworld -- install -D /usr/lib/overworld-master/practice-server.jar /var/lib/overworld/templates/lobby/server.jar',
    );
    await old.must(`echo 'OPTIONS=--provider-url ${cloud.api.url}' > /etc/default/overworld-master`);
    await old.must('systemctl start overworld-master');
    await untilServices(old, 'lobby-1 RUNNING node-1, lobby-2 RUNNING node-1');
    const [node] = cloud.nodes;
    jvms = await jvmsOn(cloud.nodes);
    const ports = jvms.map(({ user }) => Number(/\d+$/.exec(user)?.[0]));
    for (let number = 0; number < PLAYERS; number += 1) {
      const port = ports[number % ports.length] ?? 0;
      players.push(await joinAsPlayer({ host: node?.address ?? '', port, username: `Player${number}` }));
    }
    await untilServices(old, IN_USE);
    await expectUnnoticed();
  });

  it('is undone if the new master does not start', async () => {
    addPackage({ version: '1.1.0', code: "if (command === 'run') process.exit(3);" });
    const broken = await openApp('1.1.0', app);
    const { id } = broken.installs.move(moveDraft(broken, old, fresh));
    const job = await untilEnded(broken);
    expect(job).toMatchObject({ id, kind: 'move', status: 'failed', error: { code: 'MOVE_RETURNED' } });
    expect(statuses(job)).toMatchObject({ handOver: 'done', configure: 'done', start: 'failed' });
    expect(await unitOf(old)).toBe('enabled active');
    expect(await unitOf(fresh)).toMatch(/^disabled (inactive|failed)$/);
    expect(await fresh.run('test -e /var/lib/overworld/config/host_key')).toMatchObject({ code: 1 });
    await untilServices(old, IN_USE);
    expect(broken.settings.data.connections[0]?.host).toBe(old.address);
    expect(await old.run('test -e /var/lib/overworld-move')).toMatchObject({ code: 1 });
    await expectUnnoticed();
  });

  it('keeps 50 players, all services, data and host key, and updates the connection in the app', async () => {
    addPackage({ version: '1.2.0' });
    const moving = await openApp('1.2.0', app);
    await moving.connections.use(connectionOf(moving));
    const before = moving.settings.data.connections[0];
    // A file that the earlier attempt copied and that the master has deleted since then.
    await fresh.must('runuser -u overworld -- touch /var/lib/overworld/files/outdated');
    moving.installs.move(moveDraft(moving, old, fresh));
    const job = await untilEnded(moving);
    expectDone(job);
    await expectUnnoticed();
    expect(job.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(job).toMatchObject({
      ...{ versionBefore: '1.0.0', connection: before?.id, masterHostKey: before?.hostKey },
      ...{ from: `root@${old.address}:22`, hostKeyOf: `root@${fresh.address}:22` },
    });
    expect(new Set(Object.values(statuses(job)))).toEqual(new Set(['done']));
    expect(await unitOf(old)).toBe('disabled inactive');
    expect(await unitOf(fresh)).toBe('enabled active');
    expect(moving.settings.data.connections).toEqual([
      expect.objectContaining({
        ...{ id: before?.id, host: fresh.address, port: before?.port, hostKey: before?.hostKey },
        server: expect.objectContaining({ host: fresh.address }) as unknown,
      }),
    ]);
    await waitFor(() => moving.link.link.status === 'connected', { what: 'the app to be connected' });
    expect(await moving.link.call('master.info', {})).toMatchObject({
      ...{ version: '1.2.0', hostKey: before?.hostKey, you: { role: 'owner' } },
    });
    const { config } = await moving.link.call('config.get', {});
    expect(config.communication.hostname).toBe(fresh.address);
    expect(await fresh.must(content)).toBe(await old.must(content));
    expect(await fresh.must('find /var/lib/overworld ! -user overworld')).toBe('');
    expect(await fresh.must('cat /etc/default/overworld-master')).toContain(cloud.api.url);
    for (const node of [old, fresh]) {
      const left =
        'ls -d /var/tmp/overworld-* /var/lib/overworld-install /var/lib/overworld-move 2> /dev/null';
      expect(await node.must(`${left} || true`)).toBe('');
    }
    await untilServices(fresh, IN_USE);
    app = moving;
  });

  it.runIf(nightly)(
    'can be interrupted and continued at each step, also on the way back to the first server',
    async () => {
      const moving = await openApp('1.2.0', app);
      const [from, to] = places();
      const cutAt: InstallStepName[] = ['leave', 'check', 'copy', 'handOver', 'configure', 'start', 'reach'];
      const cut = new Set<InstallStepName>();
      moving.onState = ({ steps }) => {
        const running = steps.find(({ status }) => status === 'running');
        if (running === undefined || cut.has(running.name) || !cutAt.includes(running.name)) return;
        cut.add(running.name);
        for (const node of [old, fresh]) void node.run(`pkill -KILL -f '^sshd: [a-z]+(@notty| \\[)'`);
      };
      moving.installs.move(moveDraft(moving, from, to));
      let job = await untilEnded(moving);
      const codes = new Set<string | undefined>();
      for (let tries = 0; job.status === 'failed' && tries < 12; tries += 1) {
        codes.add(job.error?.code);
        await expectUnnoticed();
        moving.installs.resume(job.id, undefined);
        job = await untilEnded(moving);
      }
      expectDone(job);
      expect([...cut]).toEqual(cutAt);
      for (const code of codes) expect(['SERVER_CONNECTION_LOST', 'MOVE_RETURNED']).toContain(code);
      await untilServices(to, IN_USE);
      expect(await unitOf(from)).toBe('disabled inactive');
      await expectUnnoticed();
      app = moving;
    },
    900_000,
  );

  it.runIf(nightly)('is undone if the user cancels it while the new master takes over', async () => {
    const moving = await openApp('1.2.0', app);
    const [from, to] = places();
    moving.onState = ({ id, steps }) => {
      const step = steps.find(({ name }) => name === 'handOver');
      if (step?.status !== 'running' || step.detail === null) return;
      moving.onState = () => undefined;
      void moving.installs.cancel(id);
    };
    moving.installs.move(moveDraft(moving, from, to));
    expect(await untilEnded(moving)).toMatchObject({ status: 'cancelled', error: null });
    expect(await unitOf(from)).toBe('enabled active');
    expect(await unitOf(to)).toMatch(/^disabled (inactive|failed)$/);
    await untilServices(from, IN_USE);
    await expectUnnoticed();
  });

  it.runIf(nightly)('is undone if the new master cannot reach the nodes', async () => {
    const moving = await openApp('1.2.0', app);
    const [from, to] = places();
    for (const command of [
      'add table inet cut',
      'add chain inet cut out { type filter hook output priority 0; }',
      `add rule inet cut out ip daddr ${cloud.nodes[0]?.address ?? ''} drop`,
    ])
      await to.must(`nft '${command}'`);
    moving.installs.move(moveDraft(moving, from, to));
    const job = await untilEnded(moving);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'MOVE_RETURNED' } });
    expect(job.error?.message).toContain('cannot reach node-1');
    expect(await unitOf(from)).toBe('enabled active');
    expect(await unitOf(to)).toMatch(/^disabled (inactive|failed)$/);
    expect(moving.settings.data.connections[0]?.host).toBe(from.address);
    await untilServices(from, IN_USE);
    await expectUnnoticed();
    await to.must('nft delete table inet cut');
  });
});
