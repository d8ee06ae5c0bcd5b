import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '#shared/version.ts';
import { makeMasterDeb } from '../../../build/scripts/packaging/master/make-master.mjs';
import { ensureNodeRuntime, hostArch } from '../../../build/scripts/packaging/master/node-runtime.mjs';
import { hasRestic } from '../../support/backup/restic.ts';
import { makePerson } from '../../support/master/admin-master.ts';
import { waitFor } from '../../support/wait-for.ts';
import { connects } from '../kit/connects.ts';
import { sharedLab } from '../kit/lab.ts';
import type { LabNode } from '../kit/node.ts';
import { nightly } from '../kit/nightly.ts';
import { debs, plantRepository } from '../kit/repository.ts';
import { install, pidOf, roleOf, unchanged } from './installation.ts';

const lab = sharedLab();
const anna = makePerson('anna');
let node: LabNode;
let hostKey: string;

beforeAll(async () => {
  const arch = hostArch() ?? 'amd64';
  const runtime = await ensureNodeRuntime(arch);
  node = await lab.boot();
  const folder = join(node.root, 'root');
  const made = { out: folder, arch, version: VERSION, node: runtime, dateS: 1_735_689_600 };
  // Not compressed, because compression takes a minute.
  renameSync(await makeMasterDeb({ ...made, compression: 'none' }), join(folder, 'master.deb'));
  await node.must('systemctl is-system-running --wait || true');
  expect(await node.must('dpkg -i /root/master.deb')).toContain('overworld-master install');
});

it('`install` requires root, and rejects an invalid key before it changes anything', async () => {
  const plain = await node.run('runuser -u nobody -- overworld-master install');
  expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('sudo')]);
  const invalid = await node.run('overworld-master install --owner-key hello');
  expect([invalid.code, invalid.stdout]).toEqual([1, '']);
  await node.must('test ! -e /var/lib/overworld/config');
});

it('`install` starts a master to which the owner can log in', async () => {
  const { code, steps, result } = await install(node, `--owner-key "${anna.publicKey}"`);
  expect([code, ...steps]).toEqual([
    0,
    ...unchanged('user', 'data'),
    ...['key done', 'configuration done', 'owner done', 'start done'],
  ]);
  expect(result).toEqual({
    hostKey: expect.stringMatching(/^SHA256:/) as unknown,
    version: VERSION,
    port: 2022,
    hostname: node.address,
  });
  ({ hostKey } = result);
  expect(await roleOf(anna, { host: node.address, port: 2022, hostKey })).toBe('owner');
  expect(await node.must('find /var/lib/overworld ! -user overworld')).toBe('');
  expect(await node.must('systemctl is-enabled overworld-master')).toBe('enabled');
});

it('a second `install` changes nothing', async () => {
  const pid = await pidOf(node);
  const again = await install(
    node,
    `--owner-key "${anna.publicKey}" --hostname ${node.address} --ssh-port 2022`,
  );
  expect(again.steps).toEqual(unchanged('user', 'data', 'key', 'configuration', 'owner', 'start'));
  expect(again.result.hostKey).toBe(hostKey);
  expect((await install(node, '')).steps).toEqual(again.steps);
  expect(await pidOf(node)).toBe(pid);
});

it('`install` adds an owner to the running master, even if the key has another role', async () => {
  const [ben, carl] = [makePerson('ben'), makePerson('anna')];
  await node.must(`overworld-master keys add --role viewer ben "${ben.publicKey}"`);
  const pid = await pidOf(node);
  for (const person of [ben, carl]) {
    const { steps } = await install(node, `--owner-key "${person.publicKey}"`);
    expect(steps).toContain('owner done');
    expect(await roleOf(person, { host: node.address, port: 2022, hostKey })).toBe('owner');
  }
  expect(await node.must('overworld-master keys list')).toMatch(/^anna \(2\) +owner/m);
  expect(await pidOf(node)).toBe(pid);
});

it('`install` changes only the port and the hostname of the running master', async () => {
  await node.must(`echo '${node.address} mc.example.org' >> /etc/hosts`);
  await node.must('echo OPTIONS=--local-ram 1024 > /etc/default/overworld-master');
  const changed = await install(node, '--ssh-port 2222 --hostname 127.0.0.1');
  expect(changed.steps).toEqual([
    ...unchanged('user', 'data', 'key'),
    'configuration done',
    'owner unchanged',
    'start done',
  ]);
  expect(changed.result).toMatchObject({ port: 2222, hostname: '127.0.0.1', hostKey });
  expect(await roleOf(anna, { host: node.address, port: 2222, hostKey })).toBe('owner');
  expect(await connects(node.address, 2022)).toBe(false);
  expect(await node.must('cat /etc/default/overworld-master')).toBe(
    'OPTIONS=--local-ram 1024 --ssh-port 2222',
  );
  const named = await install(node, '--hostname mc.example.org');
  expect(named.result).toMatchObject({ port: 2222, hostname: node.address });
  expect((await install(node, '--hostname mc.example.org')).steps).toContain('start unchanged');
});

it('`install` reports why the master does not start with a given SSH port, and succeeds with another port', async () => {
  await node.must('systemd-run --quiet --unit taken nc -lk 2300');
  const taken = await install(node, '--ssh-port 2300');
  expect([taken.code, taken.steps.at(-1)]).toEqual([1, 'start failed']);
  expect(taken.details['start']).toMatch(/cannot listen on .*:2300\b/);
  expect((await node.run('overworld-master install --ssh-port 22')).code).toBe(2);
  const { code, result } = await install(node, '--ssh-port 2022');
  expect([code, result.port]).toEqual([0, 2022]);
  expect(await roleOf(anna, { host: node.address, port: 2022, hostKey })).toBe('owner');
});

it('`install` does not change a systemd unit that starts another program', async () => {
  const unit = '/etc/systemd/system/overworld-master.service';
  await node.must(`printf '[Service]\\nExecStart=/bin/sleep 9\\n' > ${unit} && systemctl daemon-reload`);
  const { code, details } = await install(node, '');
  expect([code, details['user']]).toEqual([1, expect.stringContaining('/bin/sleep')]);
  await node.must(`rm ${unit} && systemctl daemon-reload`);
  expect((await install(node, '')).code).toBe(0);
});

describe.skipIf(debs === null || !hasRestic)('the command `install --restore-from` (needs restic)', () => {
  const restore = '--restore-from /srv/backup/network --password-file /root/password';
  const data = '/var/lib/overworld';
  /** Returns the hashes of the files that make up the network. */
  const network = () =>
    node.must(`cd ${data} && find config templates files -type f -exec sha256sum {} + | sort`);
  const isEmpty = async () => (await node.must(`ls ${data} | grep -vE '^(backup|run)$' || true`)) === '';
  let before: string;
  /** Duration of a whole installation with a restore (ms). */
  let durationMs = 0;

  /** Resets the machine to the state of a new machine on which only the package of the master is installed. */
  const burn = async (): Promise<void> => {
    await node.must(`systemctl stop overworld-master && rm -rf ${data}`);
    await node.must(`install -d -o overworld -g overworld -m 700 ${data}`);
  };

  beforeAll(async () => {
    copyFileSync('/usr/bin/restic', join(node.root, 'usr/bin/restic'));
    await node.must('install -d -o overworld -m 700 /srv/backup');
    await node.must('overworld-master backup configure /srv/backup/network && overworld-master backup run');
    await node.must(`install -m 600 ${data}/backup/password /root/password`);
    before = await network();
    await node.must('rm /usr/bin/restic');
    await burn();
    plantRepository(node.root, debs ?? '');
  });

  it('starts no master after a failed restore, and restores the network when it is repeated', async () => {
    await node.must('umask 077 && echo wrong > /root/wrong');
    const failed = await install(node, restore.replace('/root/password', '/root/wrong'));
    expect([failed.code, ...failed.steps]).toEqual([
      1,
      ...unchanged('user', 'data'),
      ...['restic done', 'restore failed'],
    ]);
    expect(failed.details['restore']).toMatch(
      /wrong password.*run the same "overworld-master install" again/,
    );
    const mistyped = await install(node, restore.replace('/network', '/mistyped'));
    expect(mistyped.details['restore']).toContain('/srv/backup/mistyped cannot be used');
    await node.must('test ! -e /srv/backup/mistyped');
    expect(await isEmpty()).toBe(true);
    expect((await node.run('systemctl is-active overworld-master')).stdout).toBe('inactive\n');

    const began = performance.now();
    const { code, steps, result } = await install(node, restore);
    durationMs = performance.now() - began;
    expect([code, ...steps]).toEqual([
      0,
      ...unchanged('user', 'data', 'restic'),
      'restore done',
      ...unchanged('key', 'configuration', 'owner'),
      'start done',
    ]);
    expect(result).toMatchObject({ hostKey, hostname: node.address });
    expect(await network()).toBe(before);
    expect(await roleOf(anna, { host: node.address, port: 2022, hostKey })).toBe('owner');
    expect(await node.must(`find ${data} ! -user overworld`)).toBe('');
  });

  it('changes nothing when it is repeated, and refuses to run if the machine has other data', async () => {
    const pid = await pidOf(node);
    expect((await install(node, restore)).steps).toEqual(
      unchanged('user', 'data', 'restic', 'restore', 'key', 'configuration', 'owner', 'start'),
    );
    const other = await install(node, `${restore} --backup 00000000`);
    expect([other.code, other.details['restore']]).toEqual([1, expect.stringContaining('it contains')]);
    expect(await pidOf(node)).toBe(pid);
    expect((await node.run('overworld-master install --password-file /root/password')).code).toBe(2);
  });

  it('completes a restore that was killed at any point', async () => {
    await burn();
    // A killed run has completed some steps, and the next run continues after these steps. So all steps are reached.
    for (const part of nightly ? [0.2, 0.4, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.8, 0.9] : [0.4, 0.6, 0.8]) {
      const seconds = ((part * durationMs) / 1000).toFixed(2);
      const killed = await node.run(`timeout -s KILL ${seconds} overworld-master install ${restore}`, {
        timeoutMs: 180_000,
      });
      expect([0, 137]).toContain(killed.code);
      await waitFor(async () => (await node.run("pgrep -f 'for-instal[l]'")).code === 1, {
        what: 'the process that restores to end with its parent',
      });
    }
    expect((await install(node, restore)).result).toMatchObject({ hostKey });
    expect(await network()).toBe(before);
  });
});

it('`install` opens the ports in nftables, which stay open after a reboot', async () => {
  const rules = [
    '#!/usr/sbin/nft -f',
    'flush ruleset',
    'table inet filter {',
    '  chain input {',
    '    type filter hook input priority filter; policy drop;',
    '    ct state established,related accept',
    '    iif lo accept',
    '    tcp dport 22 accept',
    '  }',
    '}',
  ];
  await node.must('cat > /etc/nftables.conf', { input: `${rules.join('\n')}\n` });
  await node.must('systemctl unmask nftables && systemctl enable --now nftables');
  expect(await connects(node.address, 2022)).toBe(false);

  const opened = await install(node, '--open-ports');
  expect(opened.steps).toContain('ports done');
  expect(await connects(node.address, 2022)).toBe(true);
  expect(await connects(node.address, 1510)).toBe(true);
  expect((await install(node, '--open-ports')).steps).toContain('ports unchanged');
  expect(await node.must('grep -c "^insert rule" /etc/nftables.conf')).toBe('2');

  await node.reboot();
  await node.waitForSsh(2022);
  expect(await roleOf(anna, { host: node.address, port: 2022, hostKey })).toBe('owner');
  await node.must('systemctl disable --now nftables && nft flush ruleset');
});

it.skipIf(debs === null)('`install` sets up HAProxy, and the master manages it', async () => {
  plantRepository(node.root, debs ?? '');
  const { code, steps, details } = await install(node, '--haproxy');
  expect([code, ...steps]).toEqual([
    0,
    ...unchanged('user', 'data', 'key', 'configuration', 'owner'),
    ...['haproxy done', 'start done', 'adopt done'],
  ]);
  expect(details['start']).toContain('group');
  expect(await node.must('cat /etc/haproxy/haproxy.cfg')).toContain('# BEGIN OVERWORLD');
  expect(await node.must('stat -c "%U %G %a" /run/haproxy-master.sock')).toBe('root haproxy 660');
  expect(await connects(node.address, 25_565)).toBe(true);
  const doctor = await node.must('overworld-master doctor --json || true');
  const findings = JSON.parse(doctor) as readonly { readonly check: string; readonly verdict: string }[];
  expect(findings).toContainEqual(expect.objectContaining({ check: 'HAProxy reload', verdict: 'ok' }));

  // HAProxy's first process runs as root, but its sandbox restricts it.
  const haproxy = `nsenter -t "$(systemctl show haproxy -p MainPID --value)" -m --`;
  const secrets = '/etc/shadow /var/lib/overworld/config/host_key /etc/ssh/ssh_host_ed25519_key';
  expect((await node.run(`${haproxy} cat ${secrets}`)).stdout).toBe('');
  expect((await node.run(`${haproxy} systemctl show -p Version`)).stderr).toContain('Failed to connect');
  expect((await node.run(`${haproxy} ls /run/dbus`)).stdout).toBe('');
  expect((await node.run(`${haproxy} touch /etc/cron.d/attack`)).stderr).toContain('Read-only file system');
  const exposure = await node.must('systemd-analyze security haproxy --no-pager | tail -1');
  expect(Number(/: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThanOrEqual(5);

  const pids = await node.must('systemctl show haproxy overworld-master -p MainPID');
  const again = await install(node, '--haproxy');
  expect(again.steps).toEqual(
    unchanged('user', 'data', 'key', 'configuration', 'owner', 'haproxy', 'start', 'adopt'),
  );
  expect(await node.must('systemctl show haproxy overworld-master -p MainPID')).toBe(pids);
});

it.skipIf(debs === null)('`install` opens the ports in ufw if ufw is active', async () => {
  plantRepository(node.root, debs ?? '');
  await node.must('apt-get -q update && apt-get -q -y install --no-install-recommends ufw');
  expect((await install(node, '--open-ports')).steps).toContain('ports unchanged');
  await node.must('ufw allow 22/tcp && ufw --force enable');
  expect(await connects(node.address, 2022)).toBe(false);
  expect((await install(node, '--open-ports')).steps).toContain('ports done');
  expect(await connects(node.address, 2022)).toBe(true);
  expect((await install(node, '--open-ports')).steps).toContain('ports unchanged');
});

it('the package contains its manual page and completions where man and the shells search for them', async () => {
  const files = [
    'man/man1/overworld-master.1.gz',
    'bash-completion/completions/overworld-master',
    'zsh/vendor-completions/_overworld-master',
    'fish/vendor_completions.d/overworld-master.fish',
  ];
  const listed = (await node.must('dpkg -L overworld-master')).split('\n');
  expect(listed).toEqual(expect.arrayContaining(files.map((file) => `/usr/share/${file}`)));
  expect(await node.must('zcat /usr/share/man/man1/overworld-master.1.gz')).toContain('install');
  const script = await node.must('cat /usr/share/bash-completion/completions/overworld-master');
  expect(script).toContain('overworld-master complete --');
  expect(script).not.toContain('index.js');
});
