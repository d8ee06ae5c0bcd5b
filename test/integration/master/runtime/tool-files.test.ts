import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runToolPython as python } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('the files that the tool on a node writes for a service', () => {
  it('can be read only by the service, whatever permissions the files of the template have', async () => {
    const folder = temporaryFolder();
    for (const name of ['notes/lobby-1', 'services', 'locks', 'cache/boot/files', 'cache/boot/layouts'])
      await mkdir(join(folder, name), { recursive: true });
    const hash = 'ab'.repeat(32);
    await writeFile(join(folder, 'cache/boot/files', hash), 'token=none\n');
    const entries = [['server.properties', 11, 0o644, hash]];
    await writeFile(
      join(folder, 'cache/boot/layouts/one.json'),
      JSON.stringify({ template: 'lobby', entries }),
    );
    await writeFile(join(folder, 'notes/lobby-1/port'), '25565');
    await python(
      `
import pwd
import places, prepare, users
top = sys.argv[1]
places.SERVICES, places.NOTES, places.CACHE = f'{top}/services', f'{top}/notes', f'{top}/cache'
places.LOCKS, places.RUN, places.DROP_INS = f'{top}/locks', f'{top}/run', f'{top}/units'
places._boot = 'boot'
users.of = lambda port: pwd.getpwuid(os.getuid())
prepare.lay_out({
    'record': {'spec': {'id': 'lobby-1'}, 'port': 25565},
    'layout': 'one',
    'isGame': False,
    'closed': [
        {'path': 'server.properties', 'text': 'token=secret\\n'},
        {'path': 'config/deep/paper.yml', 'text': '\\xff\\r\\n'},
    ],
})
`,
      folder,
    );
    const { mode, size } = await stat(join(folder, 'services/lobby-1/server.properties'));
    expect(size).toBe(13);
    expect((mode & 0o777).toString(8)).toBe('600');
    const below = join(folder, 'services/lobby-1/config');
    expect(((await stat(join(below, 'deep'))).mode & 0o777).toString(8)).toBe('700');
    expect(((await stat(join(below, 'deep/paper.yml'))).mode & 0o777).toString(8)).toBe('600');
    expect(await readFile(join(below, 'deep/paper.yml'))).toEqual(Buffer.from([0xff, 0x0d, 0x0a]));
    // The cached file, from which other services are created, is unchanged.
    expect(await readFile(join(folder, 'cache/boot/files', hash), 'utf8')).toBe('token=none\n');
  });

  it('quote each argument for systemd so that no character has a special meaning', async () => {
    const word = 'a\nExecStartPre=+/bin/sh "$HOME" %i \\n \r\t';
    const said = await python('import unit_settings\nprint(unit_settings.quoted(sys.argv[1]), end="")', word);
    expect(said).toBe('"a\\nExecStartPre=+/bin/sh \\"$$HOME\\" %%i \\\\n \\r\\t"');
  });
});

describe('the ports that the tool on a node assigns', () => {
  it('are found, although a power failure has emptied the files of another service', async () => {
    const folder = temporaryFolder();
    for (const id of ['lobby-1', 'lobby-2']) await mkdir(join(folder, id), { recursive: true });
    await writeFile(join(folder, 'lobby-1/port'), '');
    await writeFile(join(folder, 'lobby-1/service.json'), '');
    await writeFile(join(folder, 'lobby-2/port'), '25565');
    const taken = await python(
      `
import places, ports
places.NOTES = sys.argv[1]
print(sorted(ports.promised('lobby-3')), end="")
`,
      folder,
    );
    expect(taken).toBe('[25565]');
  });
});

describe('the setup of a node', () => {
  it('finds a source file for each systemd unit and script that it installs', async () => {
    const missing = await python(
      `
import setup
names = (*setup.SCRIPTS, *setup.UNIT_FILES)
print([name for name in names if not os.path.isfile(f'{setup.SOURCES}/{name}')], end="")
`,
    );
    expect(missing).toBe('[]');
  });

  it('prevents needrestart from restarting Overworld services, but not from restarting other services', async () => {
    const folder = temporaryFolder();
    await python('import setup\nsetup.NEEDRESTART = sys.argv[1]\nsetup.prevent_restarts()', folder);
    const { stdout } = await promisify(execFile)('perl', [
      '-e',
      // Perl code that reads this file in the same way as needrestart, and looks up whether needrestart may restart a
      // unit.
      `our %nrconf = (override_rc => {}); eval do { local(@ARGV, $/) = shift; <> }; die $@ if $@;
       for my $unit (@ARGV) {
         my ($found) = grep { $unit =~ /$_/ } keys %{$nrconf{override_rc}};
         print "$unit ", defined $found ? $nrconf{override_rc}{$found} : 'free', "\\n";
       }`,
      join(folder, 'overworld.conf'),
      'overworld@lobby-1.service',
      'ssh.service',
    ]);
    expect(stdout).toBe('overworld@lobby-1.service 0\nssh.service free\n');
  });
});

describe('the report of the tool on a node about a service', () => {
  it('contains the exit of the service, even if the service exits during the query', async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, 'notes/lobby-1'), { recursive: true });
    await writeFile(join(folder, 'notes/lobby-1/service.json'), '{}');
    await writeFile(join(folder, 'notes/lobby-1/start'), 'boot 12.5\n');
    const seen = await python(
      `
import json
import observe, places, systemctl
top = sys.argv[1]
places.NOTES, places.RUN = f'{top}/notes', f'{top}/run'
places._boot = 'boot'
def look(pattern='*'):
    # Its last process ends, its unit notes how, and is gone before systemd is asked.
    with open(f'{places.notes("lobby-1")}/exit', 'w') as file:
        file.write('oom-kill\\nkilled\\nKILL\\n0\\n')
    return {}
systemctl.look = look
first = observe.observe({})['services'][0]
os.unlink(f'{places.notes("lobby-1")}/exit')
print(json.dumps([first, observe.one('lobby-1')]))
`,
      folder,
    );
    const exit = { result: 'oom-kill', code: 'killed', status: 'KILL', oomKills: 0 };
    expect(JSON.parse(seen)).toMatchObject([
      { id: 'lobby-1', exit, unit: { alive: false } },
      { id: 'lobby-1', exit, unit: { alive: false } },
    ]);
  });
});
