import { describe, expect, it } from 'vitest';
import { assess } from '#main/install/check/assess.ts';
import { assessOldServer, type MoveRequest } from '#main/install/check/assess-old-server.ts';
import { readFacts, type ServerFacts } from '#main/install/check/facts.ts';
import type { Intent } from '#main/install/check/intent.ts';
import { areOnlyOptions, sshPortIn } from '#main/install/check/moving-facts.ts';
import { movedMasterProblems, remainingSteps } from '#main/install/steps/connect-moved-master.ts';
import { localProblems } from '#main/install/steps/check-old-server.ts';

/** Output of the check script on a server with a running master. A test can replace single values. */
const server: Readonly<Record<string, string>> = {
  ...{ time: '1700000000', os: 'debian', 'os-version': '12', 'os-name': 'Debian GNU/Linux 12 (bookworm)' },
  ...{ arch: 'amd64', apt: 'yes', systemd: '252', memory: '3900000', 'dpkg-audit': '0' },
  ...{ 'disk-/usr': '40000000', 'disk-/var/lib': '40000000', 'disk-/var/tmp': '40000000' },
  ...{ 'unit-state': 'active', 'unit-pid': '812', package: 'installed 0.2.0', compared: 'same' },
  ...{ configured: 'yes', upgrade: 'yes', 'host-key': 'SHA256:master', 'data-kib': '50000', data: 'yes' },
};

function factsWith(changes: Readonly<Record<string, string>>): ServerFacts {
  const lines = Object.entries({ ...server, ...changes, end: 'yes' }).map(
    ([name, value]) => `${name} ${value}`,
  );
  const facts = readFacts(lines.join('\n'), 1_700_000_000);
  if (facts === null) throw new Error('the output is incomplete');
  return facts;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the check of the old server before a move', () => {
  const request: MoveRequest = {
    ...{ version: '0.2.0', masterHostKey: 'SHA256:master', to: 'new.example:22', haproxy: false },
  };
  const problemsOf = (changes: Readonly<Record<string, string>>, other: Partial<MoveRequest> = {}) =>
    assessOldServer(factsWith(changes), { ...request, ...other }).map(
      ({ severity, text }) => `${severity}: ${text}`,
    );

  it('accepts a running master that has the version of the app or an older version', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ package: 'installed 0.1.0', compared: 'older' })).toEqual([]);
    expect(problemsOf({}, { masterHostKey: null })).toEqual([]);
  });

  it.each([
    [{ package: '', compared: '', configured: '' }, /^error: No master is installed there/],
    [{ configured: '', 'host-key': '' }, /^error: No master is installed there/],
    [{ package: '', 'by-hand': '/opt/overworld-master' }, /^error: It was installed by hand/],
    [{ package: 'installed 0.3.0', compared: 'newer' }, /^error: .*newer than 0.2.0 of this app/],
    [{ package: 'unpacked 0.2.0' }, /^error: Its installation is not complete/],
    [{ 'host-key': 'SHA256:other' }, /^error: It is another master .*SHA256:other.*SHA256:master/],
    [{ 'host-key': '' }, /^error: It is another master than that of the connection: .*unknown/],
    [{ 'upgrade-state': 'active' }, /^error: It is being updated/],
    [{ 'unit-state': 'inactive' }, /^error: It does not run/],
    [
      { 'move-handed-to': 'third.example:22' },
      /^error: An earlier move has handed it over to third.example:22/,
    ],
    [{ options: base64('x'.repeat(16_385)) }, /^error: The file .* is larger than 16 KiB/],
    [{ node: 'yes' }, /^warning: It may run services, too/],
    [
      { options: base64('OPTIONS=--ssh-port 2222\nNODE_OPTIONS=--require=/var/lib/overworld/files/a.js\n') },
      /^error: The file .* contains more than OPTIONS=… in one line\. .* programs of the old server/,
    ],
    [{ 'own-unit': 'yes' }, /^warning: Its unit was changed there/],
    [{ haproxy: 'yes' }, /^warning: It manages HAProxy there/],
  ])('reports a problem for a server with the facts %j', (changes, says) => {
    expect(problemsOf(changes)).toEqual([expect.stringMatching(says)]);
  });

  it('accepts a master that was stopped by an earlier attempt to move', () => {
    const stopped = { 'unit-state': 'inactive', 'move-stopped': 'yes' };
    expect(problemsOf(stopped)).toEqual([]);
    expect(problemsOf({ ...stopped, 'move-handed-to': 'new.example:22' })).toEqual([]);
  });

  it('gives no warning about HAProxy if the move sets up HAProxy on the new server', () => {
    expect(problemsOf({ haproxy: 'yes' }, { haproxy: true })).toEqual([]);
  });

  it('rejects a server on which the master runs services', () => {
    expect(localProblems([])).toEqual([]);
    expect(localProblems(['lobby-1'])[0]?.text).toContain('(lobby-1). Move them');
    expect(localProblems(['lobby-1', 'lobby-2', 'lobby-3'])[0]).toMatchObject({
      ...{ severity: 'error', text: expect.stringContaining('lobby-1 and 2 more') as string },
    });
  });
});

describe('the check of the new server before a move', () => {
  const intent: Intent = {
    ...{ kind: 'move', version: '0.2.0', masterPort: 2022, haproxy: false, openPorts: false },
    ...{ masterHostKey: 'SHA256:master', leaving: { dataKib: 50_000, isRunning: true } },
  };
  const empty = {
    ...{ package: '', compared: '', configured: '', 'host-key': '', data: '', 'data-kib': '' },
    ...{ 'unit-state': 'inactive', 'unit-pid': '0' },
  };
  const stopped = { 'unit-state': 'inactive', 'unit-pid': '0' };
  const problemsOf = (changes: Readonly<Record<string, string>>, other: Partial<Intent> = {}) =>
    assess(factsWith(changes), { ...intent, ...other }).map(({ severity, text }) => `${severity}: ${text}`);

  it('accepts an empty server, an installed package without data, and a copy from an earlier attempt', () => {
    expect(problemsOf(empty)).toEqual([]);
    expect(problemsOf({ ...empty, package: 'installed 0.2.0', compared: 'same' })).toEqual([]);
    expect(problemsOf({ ...empty, data: 'yes', 'data-kib': '70', 'move-copy': 'yes' })).toEqual([]);
    expect(problemsOf({ ...stopped, 'move-copy': 'yes' })).toEqual([]);
  });

  it('warns that it replaces an older copy of the same master', () => {
    expect(problemsOf(stopped)).toEqual([expect.stringMatching(/^warning: An older copy of this master/)]);
  });

  it.each([
    [{ 'host-key': 'SHA256:other' }, /^error: Another master is there \(SHA256:other\)/],
    [{ 'host-key': '' }, /^error: Another master is there \(unknown key\)/],
    [{ ...empty, data: 'yes' }, /^error: The folder \/var\/lib\/overworld there contains files/],
    [{ ...empty, 'by-hand': '/opt/overworld-master' }, /^error: A master that was installed by hand/],
    [{ 'move-stopped': 'yes' }, /^error: It is the server that the master is to leave/],
    [{}, /^error: This master runs there, too/],
    [{ ...empty, package: 'installed 0.3.0', compared: 'newer' }, /^error: .*newer than 0.2.0/],
  ])('rejects a server with the facts %j', (changes, says) => {
    expect(problemsOf(changes)).toEqual([expect.stringMatching(says)]);
  });

  it('accepts the new master if an earlier attempt has already started it', () => {
    expect(problemsOf({}, { leaving: { dataKib: 50_000, isRunning: false } })).toEqual([]);
  });

  it('rejects a disk with too little space, and counts the space of an earlier copy as free', () => {
    const free = { ...empty, 'disk-/var/lib': '6000000' };
    const large = { leaving: { dataKib: 6_000_000, isRunning: true } };
    expect(problemsOf(free, large)).toEqual([
      expect.stringMatching(/^error: Only 5859 MB are free in \/var\/lib, and .* needs 6059 MB/),
    ]);
    expect(problemsOf({ ...free, data: 'yes', 'data-kib': '5000000', 'move-copy': 'yes' }, large)).toEqual(
      [],
    );
  });

  it('checks the disk that is mounted at the data folder', () => {
    const small = { ...empty, 'disk-/var/lib': '3000000', 'disk-/var/lib/overworld': '40000000' };
    const large = { leaving: { dataKib: 6_000_000, isRunning: true } };
    expect(problemsOf(small, large)).toEqual([]);
    const full = { ...empty, 'disk-/var/lib/overworld': '5000000' };
    expect(problemsOf(full, large)).toEqual([
      expect.stringMatching(/^error: Only 4882 MB are free in \/var\/lib\/overworld, and .* needs 6059 MB/),
    ]);
  });
});

describe('the options file of a master that is moved', () => {
  it('is not changed, and the SSH port is read from it', () => {
    const options = 'OPTIONS=--ssh-port 2222 --provider-url http://x\n';
    expect(factsWith({ options: base64(options) }).moving.options).toBe(options);
    expect(factsWith({}).moving.options).toBeNull();
    expect(sshPortIn(options)).toBe(2222);
    expect(sshPortIn('OPTIONS="--ssh-port=2223"')).toBe(2223);
    expect(sshPortIn('OPTIONS=--ssh-port 2222 --ssh-port 2224')).toBe(2224);
    expect(sshPortIn(null)).toBe(2022);
  });
});

describe('an options file of a master', () => {
  it.each([
    '',
    'OPTIONS=--ssh-port 2222',
    '# the port\n\n OPTIONS="--ssh-port 2222 --no-local"  \n; old\nOPTIONS=\n',
    "OPTIONS='--ssh-port 2222'\r\n",
  ])('can be moved if it contains only options: %j', (text) => {
    expect(areOnlyOptions(text)).toBe(true);
  });

  it.each([
    'NODE_OPTIONS=--require=/var/lib/overworld/files/a.js',
    'OPTIONS=--ssh-port 2222\rLD_PRELOAD=/var/lib/overworld/files/a.so',
    '# the end \\\nOPTIONS=--ssh-port 2222',
    'OPTIONS=--ssh-port \\\n2222',
    'OPTIONS="--ssh-port\n2222"',
    'OPTIONS="--ssh-port 2222\nNODE_OPTIONS=--require=/a.js',
    'OPTIONS=a" NODE_OPTIONS=b"',
    'export OPTIONS=--ssh-port 2222',
  ])('cannot be moved if it sets, or may set, anything but options: %j', (text) => {
    expect(areOnlyOptions(text)).toBe(false);
  });
});

describe('the result of a move', () => {
  it('contains a warning about nodes that the new master cannot observe', () => {
    expect(movedMasterProblems({ hasSynced: true, lacking: [] })).toEqual([]);
    expect(movedMasterProblems({ hasSynced: true, lacking: ['node-1', 'node-2'] })).toEqual([
      { severity: 'warning', text: expect.stringContaining('node-1, node-2') as string },
    ]);
    expect(movedMasterProblems({ hasSynced: false, lacking: [] })).toHaveLength(1);
  });

  it('describes what to do on both servers, and which address to change if HAProxy is used', () => {
    const old = { address: 'old.example:22', managesHaproxy: false };
    expect(remainingSteps(old, 'new.example')).toContain('apt-get remove overworld-master');
    expect(remainingSteps(old, 'new.example')).toContain('schedule them on the new server, too');
    expect(remainingSteps(old, 'new.example')).not.toContain('HAProxy');
    expect(remainingSteps({ ...old, managesHaproxy: true }, 'new.example')).toContain('join to new.example');
  });
});
