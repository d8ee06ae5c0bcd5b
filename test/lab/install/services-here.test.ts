import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { makePerson } from '../../support/master/admin-master.ts';
import { SMALL } from '../../support/master/network.ts';
import { waitFor } from '../../support/wait-for.ts';
import { connects } from '../kit/connects.ts';
import { sharedLab } from '../kit/lab.ts';
import type { LabNode } from '../kit/node.ts';
import { nightly } from '../kit/nightly.ts';
import { bringPackage, changeDocument, masterDeb } from '../kit/packaged-master.ts';
import { install, pidOf, unchanged } from './installation.ts';

/**
 * Replaces Java: runs the file `attack.sh` of the template with the rights of a hostile plugin, and waits for the
 * stop command. Each line of output of `attack.sh` begins with `said`.
 */
const HOSTILE_JAVA =
  '#!/bin/sh\nsh ./attack.sh 2>&1 < /dev/null | sed "s/^/said /"\necho attacked\nread -r line\n';

const TEMPLATES = '/var/lib/overworld/templates';

const lab = sharedLab();
const anna = makePerson('anna');
let node: LabNode;
/** Settings of the machine that no command of Overworld may change. */
let settings: string;

interface SeenService {
  readonly id: string;
  readonly state: string;
  readonly node: string | null;
}

const readSettings = () =>
  node.must(
    'find /etc/ssh /root/.ssh -type f -exec sha256sum {} + | sort; sshd -T | sort | sha256sum; getent shadow root',
  );
const services = async (): Promise<readonly SeenService[]> =>
  // Not validated, because the test compares the fields of the services.
  JSON.parse(await node.must('overworld-master service list --json')) as SeenService[];
const pidOfService = (id: string) => node.must(`systemctl show overworld@${id} -p MainPID --value`);

async function waitForService(id: string, state: string): Promise<void> {
  let seen: readonly SeenService[] = [];
  await waitFor(
    async () => {
      seen = await services();
      return seen.some((one) => one.id === id && one.state === state && one.node === 'local');
    },
    { what: `${id} to be ${state} on local`, timeoutMs: 90_000 },
  ).catch((error: unknown) => {
    throw new Error(JSON.stringify(seen), { cause: error });
  });
}

/** Lists everything that makes the machine a node, one item per line. */
const nodeParts = () =>
  node.must(
    [
      'ls -d /etc/overworld-node /var/lib/overworld-node /usr/local/lib/overworld /run/overworld 2> /dev/null',
      // Leave out the unit of the SSH service, which belongs to the master.
      "ls -d /etc/systemd/system/overworld* /run/systemd/system/overworld* 2> /dev/null | grep -v '/overworld-ssh[.]service$'",
      "getent passwd | grep '^overworld-'",
      "getent group | grep '^overworld-'",
      "systemctl list-units --all --plain --no-legend 'overworld@*' 'overworld-node*' 'overworld.slice'",
      'nft list tables | grep overworld',
      'true',
    ].join('; '),
  );

/** Creates a template of a small game server with the practice jar, and other files. */
async function createTemplate(
  id: string,
  config: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = `${TEMPLATES}/${id}`;
  mkdirSync(join(node.root, folder), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(node.root, folder, path, '..'), { recursive: true });
    writeFileSync(join(node.root, folder, path), text, { mode: 0o755 });
  }
  await node.must(`cp /usr/lib/overworld-master/practice-server.jar ${folder}/server.jar`);
  await node.must(`chown -R overworld: ${folder}`);
  await changeDocument(node, `config/templates/${id}.json`, () => ({ ...SMALL, ...config }));
}

beforeAll(async () => {
  node = await lab.boot({ sshKeys: [anna.publicKey.trim()] });
  await bringPackage(node);
  await node.must('systemctl is-system-running --wait || true');
  await node.must(`dpkg -i /root/${masterDeb}`);
  // This configuration is stricter than that on most servers: root cannot log in at all.
  await node.must("echo 'PermitRootLogin no' > /etc/ssh/sshd_config.d/50-admin.conf && systemctl reload ssh");
  settings = await readSettings();
});

it("`install --services` makes the master's machine a node, and does not change sshd or the login of root", async () => {
  const { code, steps, details } = await install(node, `--services --owner-key "${anna.publicKey}"`);
  expect([code, ...steps.slice(-3)], JSON.stringify(details)).toEqual([
    0,
    ...['start done', 'access done', 'services done'],
  ]);
  expect(details['services']).toMatch(/users of their own.*Java is 17/);
  expect(await readSettings()).toBe(settings);
  const again = await install(node, '--services');
  expect(again.steps.slice(-3)).toEqual(unchanged('start', 'access', 'services'));
  const listed = await node.must("ss -Hltn | awk '{ print $4 }'");
  expect(listed.split('\n').filter((address) => address.endsWith(':2122'))).toEqual(['127.0.0.1:2122']);
});

it('a service runs as its own user, and the master adopts it after a restart', async () => {
  await createTemplate('lobby', { minimumRunningServers: 1 });
  await waitForService('lobby-1', 'RUNNING');
  const pid = await pidOfService('lobby-1');
  expect(await node.must(`stat -c %U /proc/${pid}`)).toMatch(/^overworld-255\d\d$/);
  expect(await node.must(`stat -c %G /proc/${pid}`)).toBe('overworld-game');
  // Users are created only when a service needs them.
  expect(await node.must("getent passwd | grep -c '^overworld-[0-9]'")).toBe('1');

  await node.must('systemctl restart overworld-master');
  await waitForService('lobby-1', 'RUNNING');
  const before = await pidOf(node);
  await node.must(`kill -KILL ${before}`);
  await waitFor(async () => ((await pidOf(node)) === before ? undefined : pidOf(node)));
  await waitFor(async () => (await node.run('overworld-master service list')).code === 0);
  await waitForService('lobby-1', 'RUNNING');
  expect(await pidOfService('lobby-1')).toBe(pid);
  expect(await node.must('pgrep -c java')).toBe('1');
});

it('players cannot connect to a game server from outside, unless `firewall_rules` allows this', async () => {
  const port = Number(await node.must('cat /var/lib/overworld-node/notes/lobby-1/port'));
  expect(await connects(node.address, port)).toBe(false);
  expect((await node.run(`nc -z -w 3 ${node.address} ${port}`)).code).toBe(0);
  await changeDocument(node, 'config/master.json', (config) => ({
    ...config,
    firewall_rules: [{ port: String(port), source_ips: ['10.99.0.0/16'] }],
  }));
  await waitFor(() => connects(node.address, port), { what: 'the rule to apply' });
  await changeDocument(node, 'config/master.json', (config) => ({ ...config, firewall_rules: [] }));
  await waitFor(async () => !(await connects(node.address, port)), {
    what: 'the rule to end',
  });
});

it('a hostile service can neither read data of the master or of other services, nor connect by SSH', async () => {
  const closed = [
    ...['/var/lib/overworld/config/master.json', '/var/lib/overworld/config/node_key'],
    ...[
      '/var/lib/overworld/run/master.sock',
      '/etc/overworld-node/host_key',
      '/etc/overworld-node/access.json',
    ],
    '/var/lib/overworld-node/services/lobby-1/server.properties',
    '/var/lib/overworld-node/notes/lobby-1/service.json',
  ];
  const attack = [
    'echo "user $(id -un)"',
    'grep -c . server.properties | sed "s/^/own /"',
    ...closed.map((path) => `test -e ${path} && echo "sees ${path}"; cat ${path} && echo "reads ${path}"`),
    'ls /var/lib/overworld /var/lib/overworld-upgrade /etc/haproxy && echo "reads a folder of the master"',
    'touch /var/lib/overworld/config/keys.json && echo "writes keys"',
    ...[22, 2022, 2122].map(
      (port) => `timeout 3 sh -c "echo | nc 127.0.0.1 ${port}" && echo "connects ${port}"`,
    ),
    `timeout 3 sh -c "echo | nc ${node.address} 2022" && echo "connects to its address"`,
    // This connection is allowed, so it shows that the commands above work.
    `nc -z -w 3 ${node.address} 1510 && echo "link open"`,
    `kill -KILL ${await pidOfService('lobby-1')} && echo "kills"`,
    'true',
  ].join('\n');
  await createTemplate(
    'evil',
    { minimumRunningServers: 1 },
    { 'jre/bin/java': HOSTILE_JAVA, 'attack.sh': `${attack}\n` },
  );
  const said = await waitFor(
    async () => {
      const log = await node.run('overworld-master service logs evil-1 -n 500');
      return log.stdout.includes('attacked') ? log.stdout : undefined;
    },
    { what: 'the attack', timeoutMs: 60_000 },
  );
  expect(said).toMatch(/said user overworld-255\d\d/);
  expect(said).toMatch(/said own \d/);
  expect(said).toContain('said link open');
  expect(said).not.toMatch(/said (sees|reads|writes|connects|kills)/);
  await waitForService('lobby-1', 'RUNNING');
  await node.must('rm /var/lib/overworld/config/templates/evil.json');
  await waitFor(async () => (await services()).every(({ id }) => id !== 'evil-1') || undefined, {
    what: 'the hostile service to be removed',
    timeoutMs: 60_000,
  });
});

it('`doctor` checks the node, and `local disable` removes the node when it runs no services', async () => {
  const findings = JSON.parse(await node.must('overworld-master doctor --json || true')) as readonly {
    readonly check: string;
    readonly verdict: string;
    readonly found: string;
  }[];
  expect(findings).toContainEqual(expect.objectContaining({ check: 'local services', verdict: 'ok' }));
  const refused = await node.run('overworld-master local disable');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('lobby-1')]);
  await node.must('overworld-master node drain local');
  await node.must('overworld-master service stop lobby-1');
  await waitFor(async () => (await node.run('overworld-master local disable')).code === 0, {
    what: 'the service to be stopped',
    timeoutMs: 60_000,
  });
  expect(await node.must('overworld-master node list')).not.toContain('local');
  expect(await nodeParts()).toBe('');

  await node.must('overworld-master local enable');
  await waitForService('lobby-2', 'RUNNING');
});

it.runIf(nightly)('the machine is a node again after a reboot', async () => {
  await node.reboot();
  await waitFor(async () => (await node.run('overworld-master service list')).code === 0, {
    what: 'the master',
    timeoutMs: 60_000,
  });
  await waitFor(
    async () => (await services()).some((one) => one.state === 'RUNNING' && one.node === 'local'),
    { what: 'a service', timeoutMs: 90_000 },
  );
});

it('the removal of the package with its data stops the services, and removes all files and users of the node', async () => {
  await node.must(`rm -r /var/lib/overworld/config/templates/*.json ${TEMPLATES}/*`);
  const said = await node.must('dpkg --purge overworld-master 2>&1');
  expect(said).not.toContain('is kept');
  expect((await node.run('pgrep java')).code).toBe(1);
  expect(await nodeParts()).toBe('');
  await node.must('test ! -e /var/lib/overworld');
  expect(await readSettings()).toBe(settings);
});
