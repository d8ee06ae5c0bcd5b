import { describe, expect, it } from 'vitest';
import { parseUnit } from '#master/doctor/service-unit.ts';

/** Output of `systemctl show` for the unit of docs/installation.md, on Debian 12. */
const SHOWN = `MainPID=0
ExecStart={ path=/usr/bin/node ; argv[]=/usr/bin/node /opt/overworld-master/index.js run --data /srv/over --no-local ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }
Environment=JAVA_HOME=/opt/java "WORDS=two words" EMPTY=
LoadState=loaded
ActiveState=inactive
SubState=dead
ExecMainStatus=0
User=overworld
`;

describe('the parsed systemd unit of the master', () => {
  it('contains its program, data folder, user and environment', () => {
    expect(parseUnit(SHOWN)).toEqual({
      pid: null,
      node: '/usr/bin/node',
      args: ['/usr/bin/node', '/opt/overworld-master/index.js', 'run', '--data', '/srv/over', '--no-local'],
      data: '/srv/over',
      isLocal: false,
      user: 'overworld',
      state: 'is stopped',
      environment: { JAVA_HOME: '/opt/java', WORDS: 'two words', EMPTY: '' },
    });
  });

  it('contains the process id of a running master, and the user root if the unit names no user', () => {
    const shown = SHOWN.replace('MainPID=0', 'MainPID=812').replace('User=overworld', 'User=');
    expect(parseUnit(shown)).toMatchObject({ pid: 812, user: 'root' });
  });

  it.each([
    ['--data=/srv/over', '/srv/over'],
    ['', '/var/lib/overworld'],
    ['--data relative', null],
  ])('with the arguments "%s" has the data folder %s', (args, data) => {
    const shown = SHOWN.replace('--data /srv/over', args).replace('User=overworld', 'User=root');
    expect(parseUnit(shown)?.data).toBe(data);
  });

  it.each([
    ['ActiveState=failed\nSubState=failed\nExecMainStatus=1', 'failed with exit code 1'],
    [
      'ActiveState=activating\nSubState=auto-restart\nExecMainStatus=1',
      'is restarted by systemd each time it fails, the last time with exit code 1',
    ],
    ['ActiveState=active\nSubState=running\nExecMainStatus=0', 'is starting'],
    ['ActiveState=inactive\nSubState=dead\nExecMainStatus=0', 'is stopped'],
  ])('for the systemd values %j has the state "%s"', (properties, state) => {
    const shown = SHOWN.replace(/ActiveState=[^]*ExecMainStatus=0/, properties);
    expect(parseUnit(shown)?.state).toBe(state);
  });

  it("has the data folder from OVERWORLD_DATA in the unit's environment", () => {
    const shown = SHOWN.replace('--data /srv/over', '').replace('EMPTY=', 'OVERWORLD_DATA=/srv/other');
    expect(parseUnit(shown)?.data).toBe('/srv/other');
  });

  it('has no known data folder if the unit neither sets a data folder nor runs as root', () => {
    expect(parseUnit(SHOWN.replace('--data /srv/over', ''))?.data).toBeNull();
  });

  it.each(['', 'LoadState=not-found\nMainPID=0\n', 'LoadState=loaded\nMainPID=0\n'])(
    'is null if systemd prints %j',
    (shown) => {
      expect(parseUnit(shown)).toBeNull();
    },
  );
});
