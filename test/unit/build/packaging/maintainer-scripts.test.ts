import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Folders outside of which the scripts change nothing. */
const PLACES = ['/var/lib/', '/etc/', '/run/', '/usr/lib/'];

/** Programs that the scripts call and that would change this machine. */
const PROGRAMS = [
  'systemctl',
  'systemd-sysusers',
  'deb-systemd-helper',
  'deb-systemd-invoke',
  'chown',
  'install',
];

/** A machine in a temporary folder, on which the maintainer scripts of the package run. */
function machine() {
  const root = temporaryFolder();
  const bin = join(root, 'bin');
  mkdirSync(bin);
  for (const name of PROGRAMS) {
    // While no master is running, `systemctl is-active` and `is-failed` exit with 3.
    const exit = name === 'systemctl' ? `case "$*" in *is-*) test -e ${root}/active || exit 3 ;; esac` : '';
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${root}/calls\n${exit}\nexit 0\n`, {
      mode: 0o755,
    });
  }
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
  return {
    /** Creates a file, and its folder. */
    add: (path: string, text = ''): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    has: (path: string): boolean => existsSync(join(root, path)),
    link: (target: string, path: string): void => symlinkSync(target, join(root, path)),
    /** Runs a script. Returns what it printed. */
    run: (script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string => {
      const text = readFileSync(join('build/packaging/overworld-master', script), 'utf8');
      const moved = PLACES.reduce((all, place) => all.replaceAll(place, `${root}${place}`), text);
      const path = `${bin}:${process.env['PATH'] ?? ''}`;
      const ran = spawnSync('sh', ['-c', moved, script, ...args], {
        env: { PATH: path, ...env },
        encoding: 'utf8',
      });
      expect([ran.status, ran.stderr]).toEqual([0, '']);
      return ran.stdout;
    },
    /** Returns the calls of programs, one per line. */
    calls: (): string => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8') : ''),
    root,
  };
}

const START = 'deb-systemd-invoke start overworld-master.service overworld-master-backup.timer';
const RESTART = 'deb-systemd-invoke restart overworld-master.service';
const SSH_LINK = 'run/systemd/system/overworld-ssh.service';

describe.runIf(process.platform === 'linux')('the installation of the package', () => {
  it.each([
    // dpkg passes the version that was installed before the removal.
    { does: 'starts the master if the package was removed before', running: false, call: START },
    { does: 'restarts a running master', running: true, call: RESTART },
  ])('$does', ({ running, call }) => {
    const { add, run, calls } = machine();
    add('var/lib/overworld/config/host_key');
    if (running) add('active');
    run('postinst', ['configure', '1.0.0']);
    expect(calls()).toContain(call);
  });

  it('does not start a stopped master of version 0.2.0, which has no SSH service', () => {
    const { add, run, calls } = machine();
    add('var/lib/overworld/config/host_key');
    run('postinst', ['configure', '0.2.0']);
    expect(calls()).not.toContain('deb-systemd-invoke');
  });

  it.each([
    { stopped: 'a person has stopped', env: {} },
    { stopped: 'an upgrade starts', env: { OVERWORLD_UPGRADE: '1' } },
  ])('does not start a master that $stopped', ({ env }) => {
    const { add, run, calls, link } = machine();
    add('var/lib/overworld/config/host_key');
    link('/usr/lib/overworld-master/overworld-ssh.service', SSH_LINK);
    run('postinst', ['configure', '1.0.0'], env);
    expect(calls()).not.toContain('deb-systemd-invoke');
  });
});

describe.runIf(process.platform === 'linux')('a purge of the package', () => {
  const NOTES = 'var/lib/overworld-node/notes';
  const REMOVE = 'etc/overworld-node/remove.sh';

  /** Returns a machine on which services run. A purge calls a script that deletes their files. */
  function withServices(persistent: readonly string[]) {
    const there = machine();
    there.add(REMOVE, `rm -r ${there.root}/var/lib/overworld-node`);
    there.add(`${NOTES}/survival-1/start`);
    there.add(
      `${NOTES}/survival-1/service.json`,
      JSON.stringify({ id: 'survival-1', persistent }).replaceAll(':', ': '),
    );
    return there;
  }

  it('keeps worlds of services on this machine that are not saved, and the data of the master', () => {
    const { add, run, has } = withServices(['world*/']);
    add('var/lib/overworld/config/node_key');
    expect(run('postrm', ['purge'])).toMatch(/overworld-node is kept: .* survival-1\b/);
    expect([has(NOTES), has('var/lib/overworld/config/node_key')]).toEqual([true, true]);
  });

  it('keeps the files of a service whose description is incomplete after a power failure', () => {
    const { add, run, has } = withServices([]);
    add(`${NOTES}/survival-1/service.json`, '{ "id": "survival-1", "pers');
    expect(run('postrm', ['purge'])).toMatch(/overworld-node is kept: .* survival-1\b/);
    expect(has(NOTES)).toBe(true);
  });

  it.each([
    { what: 'are saved', started: true, persistent: [] },
    { what: 'were not started', started: false, persistent: ['world*/'] },
  ])('removes services on this machine that $what', ({ started, persistent }) => {
    const { run, has, root } = withServices(persistent);
    if (!started) execFileSync('rm', [join(root, NOTES, 'survival-1/start')]);
    expect(run('postrm', ['purge'])).not.toContain('is kept');
    expect(has(NOTES)).toBe(false);
  });

  it('succeeds if a disk is mounted in the data folder, so that rm cannot delete the mount point', () => {
    const { add, run, has, root } = machine();
    add('var/lib/overworld/config/node_key');
    // Deletes the files, and reports that a folder could not be deleted.
    writeFileSync(join(root, 'bin/rm'), '#!/bin/sh\n/bin/rm "$@"\ncase "$*" in *-move) exit 1 ;; esac\n', {
      mode: 0o755,
    });
    expect(run('postrm', ['purge'])).toContain('could not be deleted');
    expect(has('var/lib/overworld/config/node_key')).toBe(false);
  });

  it('deletes or names all folders that may contain the key to the nodes', () => {
    const folders = ['overworld', 'overworld-upgrade', 'overworld-move'].map((name) => `/var/lib/${name}`);
    const { add, run, has, root } = machine();
    for (const folder of folders) add(`${folder}/node_key`);
    run('postrm', ['purge']);
    for (const folder of folders) expect(has(folder)).toBe(false);

    for (const folder of folders) add(`${folder}/templates/lobby/server.jar`);
    const said = run('postrm', ['purge']);
    expect(said).toContain(`rm -rf ${folders.map((folder) => `${root}${folder}`).join(' ')}`);
  });

  it('deletes the copies of earlier upgrades and the files of a move even if the data folder was deleted before', () => {
    const { add, run, has } = machine();
    const folders = ['overworld-upgrade', 'overworld-move'].map((name) => `/var/lib/${name}`);
    for (const folder of folders) add(`${folder}/node_key`);
    expect(run('postrm', ['purge'])).toBe('');
    for (const folder of folders) expect(has(folder)).toBe(false);
  });

  it('keeps a copy of an earlier upgrade that is the only record of cloud nodes', () => {
    const { add, run, has } = machine();
    const copy = 'var/lib/overworld-upgrade/0.2.0/data/state/nodes.json';
    add(copy);
    expect(run('postrm', ['purge'])).toContain('/var/lib/overworld-upgrade is kept');
    expect(has(copy)).toBe(true);
  });

  it('deletes a copy of an earlier upgrade whose only nodes.json is the configuration of a template "nodes"', () => {
    const { add, run, has } = machine();
    add('var/lib/overworld-upgrade/0.2.0/data/config/templates/nodes.json');
    expect(run('postrm', ['purge'])).toBe('');
    expect(has('var/lib/overworld-upgrade')).toBe(false);
  });
});
