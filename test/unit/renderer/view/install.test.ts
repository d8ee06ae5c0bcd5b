import { describe, expect, it } from 'vitest';
import { splitServerAddress } from '#renderer/view/install/address.ts';
import {
  checkInstall,
  checkMoveTarget,
  checkServer,
  emptyInstall,
  emptyServer,
  toDefaultName,
} from '#renderer/view/install/draft.ts';
import {
  toFailedTitle,
  toJobLine,
  toJobName,
  toJobTitle,
  toServerHost,
  toVersions,
} from '#renderer/view/install/job.ts';
import { toMoveCancellation, toMoveSafety } from '#renderer/view/install/move.ts';
import { toOptionsLine } from '#renderer/view/install/options.ts';
import { currentStep, toJobShare, toStepTime } from '#renderer/view/install/steps.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { aMoveJob, anInstallJob, stepsOf, stepsUpTo } from '#test/support/app/install-models.ts';

const key = { path: '/home/anna/.ssh/id_ed25519', encrypted: false };
const locked = { path: '/home/anna/.ssh/id_rsa', encrypted: true };
const none = { keys: [], taken: [] };

describe('splitServerAddress (splits the input into user, host and port)', () => {
  it.each([
    ['play.example.org', { host: 'play.example.org' }],
    [' anna@play.example.org ', { host: 'play.example.org', user: 'anna' }],
    ['anna@play.example.org:2200', { host: 'play.example.org', user: 'anna', port: '2200' }],
    ['203.0.113.7:22', { host: '203.0.113.7', port: '22' }],
    ['2001:db8::1', { host: '2001:db8::1' }],
    ['root@2001:db8::1', { host: '2001:db8::1', user: 'root' }],
    ['[2001:db8::1]:2200', { host: '2001:db8::1', port: '2200' }],
    ['ssh://anna@play.example.org:2200/', { host: 'play.example.org', user: 'anna', port: '2200' }],
    ['ssh anna@play.example.org', { host: 'play.example.org', user: 'anna' }],
    ['ssh -p 2200 anna@play.example.org', { host: 'play.example.org', user: 'anna', port: '2200' }],
    [
      'ssh -i ~/.ssh/key -p2200 -l anna play.example.org',
      { host: 'play.example.org', user: 'anna', port: '2200' },
    ],
    ['ssh -lJan -iJ.key 10.0.0.5', { host: '10.0.0.5', user: 'Jan' }],
    ['ssh -o ProxyJump=none root@10.0.0.5', { host: '10.0.0.5', user: 'root' }],
    ['ssh -J bastion root@10.0.0.5', { host: 'ssh -J bastion root@10.0.0.5' }],
    ['a b', { host: 'a b' }],
    ['', { host: '' }],
  ])('splits %j', (typed, want) => expect(splitServerAddress(typed)).toEqual(want));
});

describe('checkServer (checks the input for a server)', () => {
  it.each([
    [{ host: 'h' }, { user: 'root', port: 22, login: { kind: 'agent' } }],
    [{ host: 'anna@h:2200' }, { user: 'anna', port: 2200, login: { kind: 'agent' } }],
    [{ host: 'h', login: 'keyFile', keyFile: key.path }, { login: { kind: 'keyFile', path: key.path } }],
    [
      { host: 'h', login: 'keyFile', keyFile: locked.path, passphrase: 'p' },
      { login: { kind: 'keyFile', path: locked.path, passphrase: 'p' } },
    ],
    [{ host: 'h', login: 'password', password: 'p' }, { login: { kind: 'password', password: 'p' } }],
  ] as const)('accepts %o', (typed, want) =>
    expect(checkServer({ ...emptyServer, ...typed }, [key, locked])).toMatchObject({
      draft: want,
      problems: {},
    }),
  );

  it.each([
    'ssh -J bastion root@10.0.0.5',
    'ssh -AJ bastion root@10.0.0.5',
    'ssh -Jbastion root@10.0.0.5',
    'ssh -o ProxyJump=bastion root@10.0.0.5',
    'ssh -oproxycommand="ssh bastion nc %h %p" root@10.0.0.5',
    "ssh -o 'ProxyCommand ssh bastion nc %h %p' root@10.0.0.5",
    'ssh -W 10.0.0.5:22 bastion',
  ])('rejects a jump host: %s', (host) => {
    const { draft, problems } = checkServer({ ...emptyServer, host }, []);
    expect(draft).toBeNull();
    expect(problems.host).toContain('jump host');
  });

  it.each([
    [{ host: '' }, ['host']],
    [{ host: 'a b' }, ['host']],
    [{ host: 'h', port: '0' }, ['port']],
    [{ host: 'h', port: '22x' }, ['port']],
    [{ host: 'h', user: '' }, ['user']],
    [{ host: 'h', user: 'Anna' }, ['user']],
    [{ host: 'h', login: 'keyFile' }, ['keyFile']],
    [{ host: 'h', login: 'keyFile', keyFile: '/not/listed' }, ['keyFile']],
    [{ host: 'h', login: 'keyFile', keyFile: locked.path }, ['passphrase']],
    [{ host: 'h', login: 'password' }, ['password']],
  ] as const)('reports the invalid fields of %o', (typed, want) => {
    const { draft, problems } = checkServer({ ...emptyServer, ...typed }, [key, locked]);
    expect(Object.keys(problems)).toEqual(want);
    expect(draft).toBeNull();
  });

  it.each([
    ['root needs no sudo', { user: 'root', login: 'password', password: 'p', sudoPassword: 's' }, undefined],
    ['sudo asks for no password', { user: 'anna' }, undefined],
    [
      'sudo has a password of its own',
      { user: 'anna', login: 'password', password: 'p', sudoPassword: 's' },
      's',
    ],
    ['sudo has the password of the login', { user: 'anna', login: 'password', password: 'p' }, 'p'],
  ] as const)('returns the correct password for sudo: %s', (_, typed, want) =>
    expect(checkServer({ ...emptyServer, host: 'h', ...typed }, []).draft?.sudoPassword).toBe(want),
  );
});

describe('checkInstall (checks the input for an installation)', () => {
  it('requires only a host, which becomes the name of the connection', () =>
    expect(checkInstall({ ...emptyInstall, host: 'play.example.org' }, none).draft).toEqual({
      server: { host: 'play.example.org', port: 22, user: 'root', login: { kind: 'agent' } },
      ...{ name: 'play.example.org', masterPort: 2022, hostname: null, haproxy: false, openPorts: true },
      services: false,
    }));

  it.each([
    [{ name: 'x'.repeat(65) }, ['name']],
    [{ name: 'berlin' }, ['name']],
    [{ masterPort: '' }, ['masterPort']],
    [{ masterPort: '443' }, ['masterPort']],
    [{ masterPort: '2200', port: '2200' }, ['masterPort']],
    [{ hostname: 'a b' }, ['hostname']],
    [{ hostname: '203.0.113.7', haproxy: true, openPorts: false }, []],
  ])('reports the invalid fields of %o', (typed, want) => {
    const checked = checkInstall({ ...emptyInstall, host: 'h', ...typed }, { keys: [], taken: ['Berlin'] });
    expect(Object.keys(checked.problems)).toEqual(want);
    expect(checked.draft === null).toBe(want.length > 0);
  });

  it.each([
    ['h', [], 'h'],
    ['h', ['H'], 'h 2'],
    ['h', ['h', 'h 2'], 'h 3'],
    ['x'.repeat(100), [], 'x'.repeat(60)],
  ])('names the connection to %s, if the names %j are in use: %s', (host, taken, want) =>
    expect(toDefaultName(host, taken)).toBe(want),
  );

  it('describes the options in one line', () => {
    expect(toOptionsLine(emptyInstall)).toBe('Port 2022, opens the ports in the firewall, without HAProxy');
    expect(toOptionsLine({ masterPort: '2200', hostname: 'h', openPorts: false, haproxy: true })).toBe(
      'Port 2200, cloud nodes use h, firewall unchanged, with HAProxy',
    );
    expect(toOptionsLine({ ...emptyInstall, services: true })).toMatch(/, runs services, too$/);
  });
});

describe('checkMoveTarget (checks the input for a move)', () => {
  const from = { ...emptyServer, host: 'root@berlin.example' };

  it('requires only the host of the new server', () =>
    expect(checkMoveTarget({ ...emptyInstall, host: 'play.example.org' }, { keys: [], from }).draft).toEqual({
      server: { host: 'play.example.org', port: 22, user: 'root', login: { kind: 'agent' } },
      ...{ hostname: null, haproxy: false, openPorts: true },
    }));

  it.each([
    [{ host: '' }, ['host']],
    [{ host: 'anna@BERLIN.example:22' }, ['host']],
    [{ host: 'berlin.example:2200' }, []],
    [{ host: 'h', hostname: 'a b' }, ['hostname']],
    [{ host: 'h', hostname: '203.0.113.8', masterPort: '0', name: 'x'.repeat(65) }, []],
  ])('reports the invalid fields of %o', (typed, want) => {
    const checked = checkMoveTarget({ ...emptyInstall, ...typed }, { keys: [], from });
    expect(Object.keys(checked.problems)).toEqual(want);
    expect(checked.draft === null).toBe(want.length > 0);
  });

  it('describes the options without the port, because a move does not change it', () =>
    expect(toOptionsLine({ hostname: 'h', openPorts: true, haproxy: true })).toBe(
      'Cloud nodes use h, opens the ports in the firewall, with HAProxy',
    ));
});

describe('the texts about a move of a master', () => {
  it.each([
    ['running', 'Moving Berlin to play.example.org', 'Moving the master to play.example.org'],
    [
      'failed',
      'The move of Berlin to play.example.org failed',
      'The move of the master to play.example.org failed',
    ],
    [
      'cancelled',
      'The move of Berlin to play.example.org was cancelled',
      'The move of the master to play.example.org was cancelled',
    ],
    ['done', 'Berlin runs on play.example.org', 'The master runs on play.example.org'],
  ] as const)('contain the name of the master if the move is %s', (status, named, unnamed) => {
    const job = aMoveJob({ status });
    expect(toJobTitle(job, 'Berlin')).toBe(named);
    expect(toJobTitle(job)).toBe(unnamed);
  });

  it('contain the name of the server whose host key is compared', () => {
    const asking = aMoveJob({ status: 'asking', question: 'trust' });
    expect(toJobTitle(asking)).toBe('Is this the old server berlin.example?');
    expect(toJobLine(asking)).toBe('Waits for you to compare the host key of the old server');
    const next = { ...asking, hostKeyOf: asking.address };
    expect(toJobTitle(next)).toBe('Is this the new server play.example.org?');
    expect(toJobLine(next)).toBe('Waits for you to compare the host key of the new server');
  });

  it('count the steps of a move', () => {
    const job = aMoveJob({ steps: stepsOf('move', 'handOver', { status: 'running' }) });
    expect(toJobLine(job)).toBe('Step 8 of 11: Stop the old master and copy the rest');
    expect(toJobName(job)).toBe('Move the master to play.example.org');
    expect(toJobShare(job)).toBeGreaterThan(toJobShare({ steps: stepsOf('move', 'copy') }));
    expect(toJobShare({ steps: stepsOf('move', null) })).toBe(1);
  });

  it.each([
    ['leave', 'Nothing was changed', undefined],
    ['copy', 'The old master serves', 'The old master still serves'],
    ['handOver', 'The old master serves', undefined],
    ['start', 'The old master serves', undefined],
    ['reach', 'The new master serves', 'The new master serves'],
  ] as const)(
    'say which master is running after a cancellation or failure in the step %s',
    (name, cancelled, failed) => {
      const job = aMoveJob({ steps: stepsOf('move', name, { status: 'failed' }) });
      expect(toMoveCancellation(job)).toBe(cancelled);
      expect(toFailedTitle(job)).toBe(failed);
    },
  );

  it('say that the new master is running if an earlier attempt has already started it', () => {
    const steps = stepsOf('move', 'start', { status: 'running' }).map((step) =>
      step.name === 'handOver' ? { ...step, status: 'unchanged' as const } : step,
    );
    expect(toMoveSafety({ steps })).toMatch(/^The new master serves/);
    expect(toMoveCancellation({ steps })).toBe('The new master serves');
  });

  it.each([
    ['handOver', /^If you cancel.*the old master serves again/],
    ['start', /^If you cancel.*the old master serves again/],
    ['reach', /^The new master serves/],
  ] as const)('say what happens if the user cancels in the step %s', (name, want) =>
    expect(toMoveSafety({ steps: stepsOf('move', name, { status: 'running' }) })).toMatch(want),
  );
});

describe('the texts about an installation job', () => {
  it.each([
    ['root@play.example.org:22', 'play.example.org'],
    ['anna@[2001:db8::1]:2200', '2001:db8::1'],
  ])('contain the host of %s', (address, want) => expect(toServerHost(address)).toBe(want));

  it.each([
    [400, '0.4 s'],
    [9949, '9.9 s'],
    [12_300, '12 s'],
    [95_000, '1 m 35 s'],
  ])('contain %d ms as %s', (ms, want) => expect(toStepTime(ms)).toBe(want));

  it.each([
    [{ versionBefore: null }, '0.2.0'],
    [{ versionBefore: '0.2.0' }, '0.2.0'],
    [{ versionBefore: '0.1.0' }, '0.1.0 → 0.2.0'],
  ])('contain the versions of %o as %s', (rest, want) => expect(toVersions(anInstallJob(rest))).toBe(want));

  it('contain the progress within the step that transfers bytes', () => {
    const at = (done: number): number =>
      toJobShare({ steps: stepsUpTo('upload', { status: 'running', progress: { done, total: 100 } }) });
    expect(at(0)).toBeGreaterThan(0);
    expect(at(50)).toBeGreaterThan(at(0));
    expect(toJobShare({ steps: stepsUpTo(null) })).toBe(1);
    expect(toJobShare({ steps: [] })).toBe(0);
  });

  it.each([
    ['the running step', stepsUpTo('upload', { status: 'running' }), 'upload'],
    ['the failed step', stepsUpTo('install', { status: 'failed' }), 'install'],
    ['the next step', stepsUpTo('start'), 'start'],
    ['no step', stepsUpTo(null), undefined],
  ])('show %s as the current step', (_, steps, want) => expect(currentStep({ steps })?.name).toBe(want));

  const failure = new OverworldError('SERVER_CONNECTION_LOST', { address: 'root@h:22' });
  it.each([
    [{}, 'Installing a master on play.example.org', 'Step 1 of 8: Connect to the server'],
    [{ status: 'asking', question: 'trust' }, 'Is this play.example.org?', /^Waits for you to compare/],
    [{ status: 'asking', question: 'login' }, /^Installing/, /dialog of the system$/],
    [{ status: 'failed', error: toWire(failure) }, 'The installation on play.example.org failed', /broke/],
    [{ status: 'cancelled' }, 'The installation on play.example.org was cancelled', 'Cancelled'],
    [{ status: 'done', steps: stepsUpTo(null) }, 'The master on play.example.org runs', 'Done in 8.0 s'],
  ] as const)('describe the state of %o', (rest, title, line) => {
    const job = anInstallJob({ ...rest });
    expect(toJobTitle(job)).toMatch(title);
    expect(toJobLine(job)).toMatch(line);
  });

  it.each([
    ['running', 'Updating Berlin', 'Updating the master on play.example.org'],
    ['failed', 'The update of Berlin failed', 'The update of the master on play.example.org failed'],
    [
      'cancelled',
      'The update of Berlin was cancelled',
      'The update of the master on play.example.org was cancelled',
    ],
    ['done', 'Berlin is up to date', 'The master on play.example.org is up to date'],
  ] as const)('contain the name of the master if the update is %s', (status, named, unnamed) => {
    const job = anInstallJob({ kind: 'update', status });
    expect(toJobTitle(job, 'Berlin')).toBe(named);
    expect(toJobTitle(job)).toBe(unnamed);
  });
});
