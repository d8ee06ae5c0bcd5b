import { describe, expect, it } from 'vitest';
import { assess, packageArch } from '#main/install/check/assess.ts';
import { readFacts, type ServerFacts } from '#main/install/check/facts.ts';
import type { Intent } from '#main/install/check/intent.ts';

/** Output of the check script on a fresh Debian 12. A test can replace single values. */
const debian12: Readonly<Record<string, string>> = {
  ...{ time: '1700000000', os: 'debian', 'os-like': '', 'os-version': '12' },
  ...{ 'os-name': 'Debian GNU/Linux 12 (bookworm)', arch: 'amd64', apt: 'yes', systemd: '252' },
  ...{ 'disk-/usr': '40000000', 'disk-/var/lib': '40000000', 'disk-/var/tmp': '40000000', memory: '3900000' },
  ...{ 'unit-file': '', 'unit-state': 'inactive', 'unit-pid': '0', 'upgrade-state': 'inactive' },
  ...{ package: '', 'dpkg-audit': '0', listen: '0.0.0.0:22 users:(("sshd",pid=700,fd=3))', end: 'yes' },
};

function factsWith(
  changes: Readonly<Record<string, string>> = {},
  listeners: readonly string[] = [],
): ServerFacts {
  const lines = Object.entries({ ...debian12, ...changes }).map(([name, value]) => `${name} ${value}`);
  const listening = listeners.map((one) => `listen ${one}`);
  const facts = readFacts([...lines, ...listening].join('\n'), 1_700_000_000);
  if (facts === null) throw new Error('the output is incomplete');
  return facts;
}

const install: Intent = {
  ...{ kind: 'install', version: '0.2.0', masterPort: 2022, masterHostKey: null, leaving: null },
  ...{ haproxy: false, openPorts: false },
};
const update: Intent = { ...install, kind: 'update', masterPort: null, masterHostKey: 'SHA256:master' };

/** Returns the problems as `severity: text`. */
function problemsOf(changes: Readonly<Record<string, string>>, intent = install, listeners: string[] = []) {
  return assess(factsWith(changes, listeners), intent).map(({ severity, text }) => `${severity}: ${text}`);
}

const packaged = { package: 'installed 0.2.0', compared: 'same', configured: 'yes', upgrade: 'yes' };

describe('the check of a server before the installation of a master', () => {
  it.each([
    { name: 'Debian GNU/Linux 12 (bookworm)', os: 'debian', version: '12', like: '', systemd: '252' },
    { name: 'Debian GNU/Linux 13 (trixie)', os: 'debian', version: '13', like: '', systemd: '257' },
    { name: 'Ubuntu 22.04.5 LTS', os: 'ubuntu', version: '22.04', like: 'debian', systemd: '249' },
    { name: 'Ubuntu 24.04.3 LTS', os: 'ubuntu', version: '24.04', like: 'debian', systemd: '255' },
  ])('accepts $name', ({ name, os, version, like, systemd }) => {
    const system = { os, 'os-version': version, 'os-like': like, 'os-name': name, systemd };
    expect(problemsOf(system)).toEqual([]);
  });

  it.each([
    {
      os: 'debian',
      version: '11',
      like: '',
      name: 'Debian GNU/Linux 11 (bullseye)',
      says: /^error: .*too old/,
    },
    { os: 'ubuntu', version: '20.04', like: 'debian', name: 'Ubuntu 20.04', says: /^error: .*too old/ },
    { os: 'debian', version: '14', like: '', name: 'Debian 14', says: /^warning: .*not tried/ },
    { os: 'debian', version: '', like: '', name: 'Debian trixie/sid', says: /^warning: .*not tried/ },
    { os: 'ubuntu', version: '25.10', like: 'debian', name: 'Ubuntu 25.10', says: /^warning: .*not tried/ },
    {
      os: 'linuxmint',
      version: '22',
      like: 'ubuntu debian',
      name: 'Linux Mint 22',
      says: /^warning: .*not tried/,
    },
    { os: 'other', version: '1', like: '', name: 'Other', says: /^error: .*needs Debian 12 or Ubuntu 22.04/ },
  ])('reports for $name: $says', ({ os, version, like, name, says }) => {
    const system = { os, 'os-version': version, 'os-like': like, 'os-name': name };
    expect(problemsOf(system)).toEqual([expect.stringMatching(says)]);
  });

  it('reports only one error for Alpine Linux, which has no apt', () => {
    const alpine = { os: 'alpine', 'os-version': '3.20.0', 'os-name': 'Alpine Linux v3.20', apt: '' };
    expect(problemsOf({ ...alpine, systemd: '', arch: 'x86_64' })).toEqual([
      'error: Its system is Alpine Linux v3.20, which has no apt. The package needs Debian 12 or Ubuntu 22.04, or newer. On other systems with systemd, install the tar.gz by hand.',
    ]);
  });

  it('rejects a server without systemd or with an old version of systemd', () => {
    expect(problemsOf({ systemd: '' })).toEqual([expect.stringMatching(/^error: .*not started by systemd/)]);
    expect(problemsOf({ systemd: '247' })).toEqual([
      expect.stringMatching(/^error: Its systemd 247 is too old/),
    ]);
  });

  it('accepts arm64, and rejects other architectures', () => {
    expect(problemsOf({ arch: 'arm64' })).toEqual([]);
    expect(packageArch('arm64')).toBe('arm64');
    expect(problemsOf({ arch: 'armhf' })).toEqual([
      expect.stringMatching(/^error: Its architecture is armhf/),
    ]);
    expect(packageArch('armhf')).toBeNull();
  });

  it.each([
    ['disk-/usr', '200000', /^error: Only 195 MB are free in \/usr, and 300 MB are needed/],
    ['disk-/var/tmp', '50000', /^error: Only 48 MB are free in \/var\/tmp/],
    ['disk-/var/lib', '1000000', /^warning: Only 976 MB are free in \/var\/lib, where/],
    ['disk-/var/lib/overworld', '1000000', /^warning: Only 976 MB are free in \/var\/lib\/overworld, where/],
    ['memory', '300000', /^error: It has only 292 MB of RAM/],
    ['memory', '800000', /^warning: It has only 781 MB of RAM/],
    ['time', '1700000500', /^warning: Its clock is 500 s ahead of/],
    ['time', '1699999000', /^warning: Its clock is 1000 s behind/],
    ['dpkg-audit', '2', /^warning: An earlier run of dpkg was interrupted/],
  ])('reports a problem if the fact %s of the server is %s (sizes in KiB)', (name, value, says) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(says)]);
  });

  it('accepts a server whose clock differs by a minute', () => {
    expect(problemsOf({ time: '1700000060' })).toEqual([]);
  });

  it('lists errors before warnings', () => {
    const severities = assess(factsWith({ memory: '800000', arch: 'armhf' }), install).map(
      (one) => one.severity,
    );
    expect(severities).toEqual(['error', 'warning']);
  });

  it('makes invisible characters in the name of the operating system visible', () => {
    expect(problemsOf({ os: 'x', 'os-name': 'A\u202eB' })[0]).toContain('A⟨202E⟩B');
  });
});

describe("the check of the server's ports before an installation", () => {
  const [ssh, web] = ['[::]:2022 users:(("sshd",pid=9,fd=3))', '0.0.0.0:1510 users:(("nginx",pid=8,fd=6))'];

  it('rejects a port of the master that another program uses', () => {
    expect(problemsOf({}, install, [ssh])).toEqual([
      'error: Port 2022 of the master is used by sshd (process 9). Choose another port.',
    ]);
    expect(problemsOf({}, { ...install, masterPort: 2023 }, [ssh])).toEqual([]);
  });

  it('accepts a port that the installed master uses', () => {
    const own = { ...packaged, 'unit-pid': '812', 'ssh-unit-pid': '811', 'unit-state': 'active' };
    for (const pid of [811, 812]) {
      const found = problemsOf(own, install, [`*:2022 users:(("node",pid=${pid},fd=20))`]);
      expect(found).toEqual([expect.stringMatching(/^warning: Version 0.2.0 .*already/)]);
    }
  });

  it('rejects a plugin port that is in use, but only warns if the master is already configured', () => {
    expect(problemsOf({}, install, [web])).toEqual([expect.stringMatching(/^error: Port 1510 .*nginx/)]);
    expect(problemsOf({ ...packaged }, install, [web])).toContainEqual(
      expect.stringMatching(/^warning: Port 1510 .*nginx/),
    );
  });

  it('rejects a player port that another program uses, but only if HAProxy is to be installed', () => {
    const game = '0.0.0.0:25565 users:(("java",pid=5,fd=9))';
    expect(problemsOf({}, install, [game])).toEqual([expect.stringMatching(/^warning: Port 25565/)]);
    const wanted = { ...install, haproxy: true };
    expect(problemsOf({ node: 'yes' }, install, [game])).toEqual([]);
    expect(problemsOf({}, wanted, [game])).toEqual([expect.stringMatching(/^error: Port 25565 .*java/)]);
    expect(problemsOf({}, wanted, ['*:25565 users:(("haproxy",pid=5,fd=9))'])).toEqual([]);
  });

  it('warns about an active firewall unless the installation opens the ports in it', () => {
    expect(problemsOf({ ufw: 'active' })).toEqual([
      'warning: ufw is active there. Open the ports 2022, 1510, or let the installation open them.',
    ]);
    expect(problemsOf({ 'nft-hooks': '1' })).toEqual([expect.stringMatching(/^warning: nftables is active/)]);
    expect(problemsOf({ ufw: 'active' }, { ...install, openPorts: true })).toEqual([]);
    expect(problemsOf({ ufw: 'inactive', 'nft-hooks': '0' })).toEqual([]);
  });
});

describe('the check of a server on which a master is installed', () => {
  it('warns that an older version will be updated, or that the same version is installed', () => {
    const older = { ...packaged, package: 'installed 0.1.0', compared: 'older' };
    expect(problemsOf(older)).toEqual([
      'warning: Version 0.1.0 of the master is installed there. It is updated to 0.2.0.',
    ]);
    expect(problemsOf(packaged)).toEqual([
      expect.stringMatching(/^warning: .*already\. Only what is missing/),
    ]);
  });

  it('rejects a master with a newer version than the app', () => {
    const newer = { ...packaged, package: 'installed 0.3.0', compared: 'newer' };
    const says = /^error: Version 0.3.0 .*newer than 0.2.0 of this app\. Update the app\./;
    expect(problemsOf(newer)).toEqual([expect.stringMatching(says)]);
    expect(problemsOf(newer, { ...update, masterHostKey: null })).toEqual([expect.stringMatching(says)]);
  });

  it.each([
    { 'by-hand': '/usr/lib/overworld-master' },
    { 'by-hand': '/opt/overworld-master' },
    { 'unit-file': '/etc/systemd/system/overworld-master.service' },
  ])('rejects a master that was installed by hand: %o', (found) => {
    expect(problemsOf(found)).toEqual([
      expect.stringMatching(/^error: A master that was installed by hand is there/),
    ]);
    expect(problemsOf(found, update)).toEqual([
      expect.stringMatching(/^error: .*installed by hand.*upgrade FILE/),
    ]);
  });

  it('warns about the data of a removed master, and accepts a package that is only half configured', () => {
    expect(problemsOf({ configured: 'yes', package: 'config-files 0.1.0' })).toEqual([
      'warning: The data of an earlier master is in /var/lib/overworld. The new master uses it.',
    ]);
    expect(problemsOf({ package: 'half-configured 0.2.0', compared: 'same' })).toEqual([]);
  });

  it('rejects an update if the server has no master, or a different one', () => {
    expect(problemsOf({}, update)).toEqual([expect.stringMatching(/^error: No master is installed there/)]);
    const other = { ...packaged, 'host-key': 'SHA256:other' };
    expect(problemsOf(other, update)).toEqual([
      expect.stringMatching(/^error: Another master .*SHA256:other/),
    ]);
    expect(problemsOf({ ...packaged, 'host-key': 'SHA256:master' }, update)).toEqual([]);
  });

  it('warns that an update cannot be undone automatically if the installed version has no upgrade command', () => {
    const old = { ...packaged, package: 'installed 0.1.0', compared: 'older', upgrade: '' };
    expect(problemsOf(old, update)).toEqual([
      expect.stringMatching(/^warning: Version 0.1.0 there cannot return/),
    ]);
  });

  it('accepts an update while another update is running, but rejects an installation', () => {
    const running = { ...packaged, 'upgrade-state': 'active' };
    expect(problemsOf(running, update)).toEqual([]);
    expect(problemsOf(running)).toEqual([expect.stringMatching(/^error: .*being updated/)]);
  });
});

describe('the output of the script that checks a server', () => {
  it('is incomplete if its last line is missing', () => {
    expect(readFacts('time 1700000000\nos debian\n', 1_700_000_000)).toBeNull();
    expect(readFacts('', 0)).toBeNull();
  });

  it('is accepted if it contains only the time', () => {
    const facts = readFacts('time 1700000000\nend yes', 1_700_000_000);
    expect(facts).toMatchObject({
      listeners: null,
      systemd: null,
      memoryKib: null,
      master: null,
      hasApt: false,
    });
  });
});
