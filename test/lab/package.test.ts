import { copyFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { makeMasterDeb } from '../../build/scripts/packaging/master/make-master.mjs';
import { ensureNodeRuntime, hostArch } from '../../build/scripts/packaging/master/node-runtime.mjs';
import { hasRestic } from '../support/backup/restic.ts';
import { makePerson } from '../support/master/admin-master.ts';
import { waitFor } from '../support/wait-for.ts';
import { sharedLab } from './kit/lab.ts';
import type { LabNode } from './kit/node.ts';

/** Time of the files in the packages (Unix time, s). */
const dateS = 1_735_689_600;

const lab = sharedLab();
let node: LabNode;

beforeAll(async () => {
  const arch = hostArch() ?? 'amd64';
  const runtime = await ensureNodeRuntime(arch);
  node = await lab.boot();
  for (const version of ['1.0.0', '1.1.0']) {
    const folder = join(node.root, 'root', version);
    mkdirSync(folder);
    // Not compressed, because compression takes a minute.
    const deb = await makeMasterDeb({
      ...{ out: folder, arch, version, node: runtime, dateS },
      compression: 'none',
    });
    renameSync(deb, join(folder, 'master.deb'));
  }
  await node.must('systemctl is-system-running --wait || true');
});

/** Waits until the master answers the command `overworld-master status`. @returns the output of the command */
async function waitForStatus(): Promise<string> {
  return waitFor(
    async () => {
      const { code, stdout } = await node.run('overworld-master status');
      return code === 0 ? stdout : null;
    },
    { what: 'the status of the master' },
  );
}

it('the package installs the master but does not start it, because it has no owner yet', async () => {
  expect(await node.must('dpkg -i /root/1.0.0/master.deb')).toContain('overworld-master install');
  expect(await node.must('systemctl is-enabled overworld-master')).toBe('enabled');
  expect((await node.run('systemctl is-active overworld-master')).stdout).toBe('inactive\n');
  expect(await node.must('dpkg --verify overworld-master')).toBe('');
});

it('the master starts after `init`, as its own user and with few permissions', async () => {
  const { publicKey } = makePerson('anna');
  const said = await node.must(`cd /root && overworld-master init --owner-key "${publicKey}"`);
  expect(said).toContain('systemctl start overworld-master');
  await node.must('systemctl start overworld-master');
  await waitForStatus();
  await node.waitForSsh(2022);

  expect(await node.must('find /var/lib/overworld ! -user overworld')).toBe('');
  expect(await node.must('stat -c %a /var/lib/overworld')).toBe('700');
  const pid = await node.must('systemctl show overworld-master -p MainPID --value');
  expect(await node.must(`grep -E "^Cap(Prm|Eff|Bnd):" /proc/${pid}/status`)).toMatch(
    /^(Cap\w+:\s0{16}\s?){3}$/,
  );
  const exposure = await node.must('systemd-analyze security --no-pager overworld-master | tail -1');
  expect(Number(/: ([\d.]+) /.exec(exposure)?.[1])).toBeLessThanOrEqual(2);
  expect(await node.must('journalctl -u overworld-master --no-pager -o cat')).not.toMatch(
    /EPERM|"level":(50|60)/,
  );
});

it('the running master cannot read the copies of its keys that upgrades make, although its user owns these copies', async () => {
  const copy = '/var/lib/overworld-upgrade/0.1.0/data/config/host_key';
  await node.must(`install -D -o overworld -m 600 /etc/hostname ${copy}`);
  await node.must('systemctl restart overworld-master');
  await waitForStatus();
  const pid = (await node.must('systemctl show overworld-master -p MainPID --value')).trim();
  // Runs a command with the rights of code in the master: in its mount namespace, as its user, without capabilities.
  const asMaster = (command: string) =>
    node.run(`nsenter -t ${pid} -m setpriv --reuid overworld --regid overworld --clear-groups ${command}`);
  expect((await node.must(`runuser -u overworld -- cat ${copy}`)).trim()).not.toBe('');
  expect((await asMaster(`cat ${copy}`)).stderr).toContain('Permission denied');
  expect((await asMaster('ls /var/lib/overworld-upgrade')).stderr).toContain('Permission denied');
  expect((await asMaster('cat /var/lib/overworld/config/host_key')).stdout).toContain('PRIVATE KEY');
  await node.must('rm -r /var/lib/overworld-upgrade');
});

const probeSchema = z.strictObject({
  folders: z.record(z.string(), z.string()),
  hostKey: z.string(),
  master: z.record(z.string(), z.string()),
  planted: z.record(z.string(), z.string()),
  replaced: z.record(z.string(), z.string()),
  workingCopy: z.string(),
  signal: z.string(),
  localSocket: z.string(),
  ownSocket: z.string(),
  port: z.string(),
  etc: z.string(),
  move: z.string(),
});

/** Results of `raw-calls.py`, by the names of the calls. */
const rawCallsSchema = z.record(z.string(), z.string());

/** System calls that the user of the master may make on the process of the master if no sandbox denies them. */
const PERMITTED = [
  'kill',
  'tkill',
  'tgkill',
  'rt_sigqueueinfo',
  'rt_tgsigqueueinfo',
  'pidfd_open',
  'io_setup',
];

it('the SSH service can access neither the secrets nor the process of the master, although both have the same user', async () => {
  const pidOf = async (unit: string): Promise<string> =>
    (await node.must(`systemctl show ${unit} -p MainPID --value`)).trim();
  const pid = await pidOf('overworld-master');
  const servicePid = await pidOf('overworld-ssh');
  expect(await node.must('ss -Hltnp sport = :2022')).toContain(`pid=${servicePid},`);
  copyFileSync('test/lab/kit/sandbox-probe.mjs', join(node.root, 'opt/probe.mjs'));
  const probe = `/usr/lib/overworld-master/bin/node /opt/probe.mjs ${pid}`;
  copyFileSync('test/lab/kit/raw-calls.py', join(node.root, 'opt/raw-calls.py'));
  const rawProbe = `/usr/bin/python3 /opt/raw-calls.py ${pid} /var/lib/overworld/files/raw.json`;
  const readResult = (name: string): unknown =>
    JSON.parse(readFileSync(join(node.root, 'var/lib/overworld/files', name), 'utf8'));

  // Without the sandbox, the rights of the user permit all attempts.
  await node.must(`runuser -u overworld -- ${probe} /var/lib/overworld/files/probe.json`);
  const free = probeSchema.parse(readResult('probe.json'));
  expect([...Object.values(free.folders), ...Object.values(free.master)]).toEqual(Array(20).fill('done'));
  expect([...Object.values(free.planted), ...Object.values(free.replaced)]).toEqual(Array(6).fill('done'));
  expect(free).toMatchObject({ hostKey: 'done', signal: 'done', localSocket: 'done', port: 'done' });
  await node.must(`runuser -u overworld -- ${rawProbe}`);
  const permitted = Object.fromEntries(PERMITTED.map((name) => [name, 'done']));
  expect(readResult('raw.json')).toMatchObject(permitted);

  // Run the probes in the sandbox of the unit.
  const unit = '/run/systemd/system/overworld-probe.service';
  const changes = [
    `s|^ExecStart=.*|ExecStart=${probe} /var/lib/overworld/files/probe.json\\nExecStart=${rawProbe}|`,
    's|^Type=.*|Type=oneshot|',
    '/^Restart/d',
    '/^RuntimeDirectory/d',
    '/^PartOf/d',
  ];
  const edits = changes.map((change) => `-e '${change}'`).join(' ');
  await node.must(`sed ${edits} /usr/lib/overworld-master/overworld-ssh.service > ${unit}`);
  await node.must('systemctl daemon-reload && systemctl start overworld-probe');
  const boxed = probeSchema.parse(readResult('probe.json'));
  expect(Object.values(boxed.folders)).toEqual(Array(16).fill('EACCES'));
  expect(Object.values(boxed.planted)).toEqual(Array(4).fill('EACCES'));
  expect(boxed.replaced).toEqual({ volumes: 'EBUSY', config: 'EBUSY' });
  expect(boxed.hostKey).toBe('EACCES');
  expect(Object.values(boxed.master)).toEqual(Array(4).fill('ENOENT'));
  expect(boxed).toMatchObject({ signal: 'EPERM', localSocket: 'EPERM', ownSocket: 'EPERM', port: 'EPERM' });
  expect(boxed).toMatchObject({ etc: 'EROFS', move: 'done', workingCopy: 'done' });
  const raw = rawCallsSchema.parse(readResult('raw.json'));
  expect(Object.keys(raw)).toEqual(expect.arrayContaining(PERMITTED));
  expect(raw).toEqual(Object.fromEntries(Object.keys(raw).map((name) => [name, 'EPERM'])));
  await node.must(`rm ${unit} /var/lib/overworld/files/probe.json /var/lib/overworld/files/raw.json`);

  const exposure = await node.must('systemd-analyze security --no-pager overworld-ssh | tail -1');
  expect(Number(/: ([\d.]+) /.exec(exposure)?.[1])).toBeLessThanOrEqual(1.5);
});

it('the master follows no link among the working copies, where the SSH service can place links', async () => {
  const data = '/var/lib/overworld';
  const contents = (): Promise<string> =>
    node.must(`cd ${data}/config && find . -type f -exec sha256sum {} + | sort`);
  const before = await contents();
  const asMaster = (command: string) => node.must(`runuser -u overworld -- ${command}`);
  await asMaster(`mkdir ${data}/working-copies/arena`);
  await asMaster(`ln -s ../config ${data}/working-copies/lobby`);
  await asMaster(`ln -s ../../config ${data}/working-copies/arena/1`);
  await asMaster(`mkdir -p ${data}/working-copies/survival/1`);
  await asMaster(`ln -s ../../../config/host_key ${data}/working-copies/survival/1/key`);
  await asMaster(`mkfifo ${data}/working-copies/survival/1/pipe`);
  await node.must('systemctl restart overworld-master');
  await waitForStatus();
  // The master finds the working copy of survival/1, but makes no save of it.
  const volumes = await node.must('overworld-master volume list --json');
  expect(z.array(z.looseObject({ id: z.string() })).parse(JSON.parse(volumes))).toMatchObject([
    { id: 'survival/1', saves: 0 },
  ]);
  const exported = await node.run('overworld-master volume export survival/1 /root/survival.tar');
  expect(exported.stderr).toContain('cannot become a save');
  expect(await contents()).toBe(before);
  expect(await node.must(`find ${data}/volumes -type l -o -type f ! -name volume.json`)).toBe('');
  await node.must(`rm -r ${data}/working-copies/* ${data}/volumes/survival`);
  await node.must('systemctl restart overworld-master');
  await waitForStatus();
});

it('the master does not react to SIGUSR1, with which Node.js would open a port for debuggers', async () => {
  const pid = (await node.must('systemctl show overworld-master -p MainPID --value')).trim();
  const [, caught = ''] = /^SigCgt:\s*(\w+)$/m.exec(await node.must(`cat /proc/${pid}/status`)) ?? [];
  const bitOf = (signal: number): bigint => 1n << BigInt(signal - 1);
  expect(BigInt(`0x${caught}`) & bitOf(constants.signals.SIGTERM)).not.toBe(0n);
  expect(BigInt(`0x${caught}`) & bitOf(constants.signals.SIGUSR1)).toBe(0n);
});

it('the SSH service ends when systemd stops it', async () => {
  await node.must('systemctl stop overworld-ssh');
  expect(await node.must('systemctl show overworld-ssh -p Result --value')).toBe('success');
  await node.must('systemctl start overworld-ssh');
  await node.waitForSsh(2022);
});

it('the SSH service starts again after it was killed, while the master runs on', async () => {
  const pidOf = async (unit: string): Promise<string> =>
    (await node.must(`systemctl show ${unit} -p MainPID --value`)).trim();
  const [master, service] = [await pidOf('overworld-master'), await pidOf('overworld-ssh')];
  await node.must(`kill -9 ${service}`);
  await waitFor(
    async () => {
      const { stdout } = await node.run('ss -Hltnp sport = :2022');
      return /pid=\d+/.test(stdout) && !stdout.includes(`pid=${service},`) ? stdout : null;
    },
    { what: 'the next SSH service' },
  );
  await node.waitForSsh(2022);
  expect(await pidOf('overworld-master')).toBe(master);
});

it('the master kills an SSH service that hangs, and a new SSH service starts', async () => {
  const pidOf = async (unit: string): Promise<string> =>
    (await node.must(`systemctl show ${unit} -p MainPID --value`)).trim();
  // The master kills the SSH service after six pings without an answer. Shorten the time between the pings, because
  // six pings take a minute by default.
  const input = `OPTIONS="--times '{\\"sshPingMs\\":300}'"\n`;
  await node.must('cat > /etc/default/overworld-master', { input });
  await node.must('systemctl restart overworld-master');
  await waitForStatus();
  const [master, service] = [await pidOf('overworld-master'), await pidOf('overworld-ssh')];
  await node.must(`kill -STOP ${service}`);
  await waitFor(
    async () => ((await node.must('ss -Hltnp sport = :2022')).includes(`pid=${service},`) ? null : true),
    { what: 'the end of the hung SSH service' },
  );
  await node.waitForSsh(2022);
  expect(await pidOf('overworld-master')).toBe(master);
  await node.must('rm /etc/default/overworld-master && systemctl restart overworld-master');
  await waitForStatus();
});

it('the master keeps its data and restarts when its package is upgraded', async () => {
  const document = '/var/lib/overworld/config/templates/lobby.json';
  await node.must(
    `runuser -u overworld -- sh -c 'mkdir -p "$(dirname ${document})"; echo "{}" > ${document}'`,
  );
  const key = await node.must('sha256sum /var/lib/overworld/config/host_key');
  const pid = await node.must('systemctl show overworld-master -p MainPID --value');

  // Run the first step of the upgrade that affects the running units.
  await node.must('sh /var/lib/dpkg/info/overworld-master.postrm upgrade 1.1.0');
  await node.must('test -L /run/systemd/system/overworld-ssh.service');

  await node.must('dpkg -i /root/1.1.0/master.deb');
  await waitForStatus();
  expect(await node.must('systemctl show overworld-master -p MainPID --value')).not.toBe(pid);
  expect(await node.must("dpkg-query -W -f '${Version}' overworld-master")).toBe('1.1.0');
  expect(await node.must('sha256sum /var/lib/overworld/config/host_key')).toBe(key);
  expect(await node.must('overworld-master template list')).toContain('lobby');
});

it('the master starts again after a reboot', async () => {
  await node.reboot();
  expect(await waitForStatus()).toContain('lobby');
});

it.skipIf(!hasRestic)('a timer makes backups with few permissions (needs restic)', async () => {
  copyFileSync('/usr/bin/restic', join(node.root, 'usr/bin/restic'));
  // The unit can access the repository, but no other home folders and temporary files of the machine.
  for (const folder of ['/home/backup', '/var/tmp/backup', '/srv/backup']) {
    await node.must(`install -d -o overworld -m 700 ${folder}`);
    await node.must(`overworld-master backup configure ${folder}/overworld`);
    await node.must('overworld-master backup schedule hourly');
    expect(await node.must('systemctl is-active overworld-master-backup.timer')).toBe('active');
    await node.must('systemctl start overworld-master-backup.service');
    expect(JSON.parse(await node.must('overworld-master backup list --json'))).toHaveLength(1);
  }
  const exposure = await node.must('systemd-analyze security --no-pager overworld-master-backup | tail -1');
  expect(Number(/: ([\d.]+) /.exec(exposure)?.[1])).toBeLessThanOrEqual(2);
  expect(await node.must('journalctl -u overworld-master-backup --no-pager -o cat')).not.toContain('EPERM');
  expect(await node.must('find /var/lib/overworld ! -user overworld')).toBe('');
});

it('the master starts when its package is installed again after a removal', async () => {
  const key = await node.must('sha256sum /var/lib/overworld/config/host_key');
  await node.must('dpkg --remove overworld-master');
  expect((await node.run('systemctl is-active overworld-master')).stdout).toBe('inactive\n');
  await node.must('dpkg -i /root/1.1.0/master.deb');
  await waitForStatus();
  expect(await node.must('sha256sum /var/lib/overworld/config/host_key')).toBe(key);
});

it('removing the package keeps the data, and a purge deletes the data unless it contains templates or saves', async () => {
  await node.must('dpkg --remove overworld-master');
  expect((await node.run('systemctl is-active overworld-master')).stdout).toBe('inactive\n');
  expect((await node.run('pgrep -u overworld')).code).toBe(1);
  await node.must('test ! -e /usr/bin/overworld-master');
  expect((await node.run('systemctl is-active overworld-master-backup.timer')).stdout).toBe('inactive\n');

  await node.must('install -D -m 600 /etc/hostname /var/lib/overworld-upgrade/0.1.0/config/host_key');
  expect(await node.must('sh /var/lib/dpkg/info/overworld-master.postrm purge')).toContain('is kept');
  await node.must('test -e /var/lib/overworld/config/host_key -a -e /var/lib/overworld-upgrade');
  await node.must('rm -r /var/lib/overworld/config/templates/lobby.json /var/lib/overworld/templates/lobby');
  await node.must('rm -rf /var/lib/overworld/backup');
  await node.must('install -D -m 600 /etc/hostname /var/lib/overworld/volumes/lobby/1/volume.json');
  expect(await node.must('sh /var/lib/dpkg/info/overworld-master.postrm purge')).toContain('is kept');
  await node.must('rm -r /var/lib/overworld/volumes/lobby');
  await node.must('dpkg --purge overworld-master');
  await node.must('test ! -e /var/lib/overworld -a ! -e /var/lib/overworld-upgrade');
  await node.must('test ! -L /run/systemd/system/overworld-ssh.service');
  expect((await node.run('dpkg-query -W overworld-master')).code).toBe(1);
  expect(await node.must('find /etc/systemd -name "overworld-master-backup*"')).toBe('');
});
