import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import type { Unmet } from '#shared/model/wait.ts';
import type { Handlers } from '#master/admin/api.ts';
import { keysHandlers } from '#master/admin/handlers/keys.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { VERSION } from '#shared/version.ts';
import { localSocketPath, serveLocalSocket } from '#master/admin/local-socket.ts';
import { acquireLease } from '#master/store/lease.ts';
import type { RunOptions } from '#master/cli/commands/run.ts';
import { ownDataFolder } from '#master/cli/data-folder.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { printedBy } from '#test/support/master/command-line.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

let data: string;
let out: string;
let err: string;
let ran: RunOptions | undefined;
const anna = makePerson('anna');

beforeEach(async () => {
  data = join(await mkdtemp(join(tmpdir(), 'overworld-cli-')), 'data');
});
afterEach(async () => {
  await rm(join(data, '..'), { recursive: true, force: true });
});

/** Runs a command line, and stores its output in `out` and `err`. */
async function cli(...args: string[]): Promise<number> {
  ran = undefined;
  const run = (options: RunOptions): Promise<void> => {
    ran = options;
    return Promise.resolve();
  };
  const printed = await printedBy(args, { run });
  ({ out, err } = printed);
  return printed.code;
}

describe('the command line of overworld-master', () => {
  it('runs a master with the given options, and with defaults for all others', async () => {
    expect(await cli('run', '--data', data)).toBe(0);
    expect(ran).toEqual({
      data,
      sshHost: '0.0.0.0',
      sshPort: 2022,
      local: true,
      localUnsafe: false,
      announce: false,
    });
    const all = ['--ssh-host', '127.0.0.1', '--ssh-port', '0', '--ports', '30000-30100', '--announce'];
    const nodes = [
      '--no-local',
      '--local-unsafe',
      '--local-ram',
      '4096',
      '--provider-url',
      'http://10.99.0.1:8080/v1',
    ];
    expect(await cli('run', '--data', data, ...all, ...nodes, '--owner-key', anna.publicKey)).toBe(0);
    expect(ran).toEqual({
      data,
      sshHost: '127.0.0.1',
      sshPort: 0,
      ports: { from: 30_000, to: 30_100 },
      local: false,
      localUnsafe: true,
      ramMb: 4096,
      providerUrl: 'http://10.99.0.1:8080/v1',
      announce: true,
      ownerKey: anna.publicKey,
    });
  });

  it.each([
    [['run', '--ssh-port', '70000'], /65535/],
    [['run', '--ssh-port', 'ssh'], /65535/],
    [['run', '--ports', '30100-30000'], /two ports/],
    [['run', '--local-ram', '100'], /512/],
    [['run', '--provider-url', 'http://api.example.com/v1'], /https/],
    [['run', 'now'], /too many arguments|arguments/],
    [['fly'], /unknown command/],
    [['keys', 'add', 'x', 'y', '--role', 'king'], /king/],
    [['template', 'show'], /missing required argument/],
    [['status', '--data', ''], /must not be empty/],
    [['service', 'drain', 'lobby-1', '--within', ''], /Minutes from 0 to 1440/],
    [['service', 'drain', 'lobby-1', '--within', '0x1e'], /Minutes from 0 to 1440/],
    [['service', 'drain', 'lobby-1', '--within', '5', '--cancel'], /cannot be used with/],
    [['service', 'files', 'keep', 'lobby-1', ''], /must not be empty/],
    [['service', 'files', 'to-template', 'lobby-1', 'world', ''], /must not be empty/],
  ])('rejects the arguments %j as wrong usage', async (args, message) => {
    expect(await cli(...args)).toBe(2);
    expect(err).toMatch(message);
    expect(ran).toBeUndefined();
  });

  it('treats an empty OVERWORLD_DATA as not set', async () => {
    vi.stubEnv('OVERWORLD_DATA', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await cli('run')).toBe(0);
    expect(ran?.data).toBe(resolve(ownDataFolder()));
  });

  it('prints help and version without an error', async () => {
    expect(await cli('--help')).toBe(0);
    expect(out).toContain('Exit codes');
    expect(await cli('--version')).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('while no master is running', () => {
  it('`status` reports that no master is running', async () => {
    await cli('init', '--data', data);
    expect(await cli('status', '--data', data)).toBe(1);
    expect(err).toContain(`overworld-master run --data ${data}`);
  });

  it('`status` reports that no master is running, even if a killed master has left its socket', async () => {
    await mkdir(join(data, 'run'), { recursive: true, mode: 0o700 });
    await chmod(data, 0o700);
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(localSocketPath(data), resolve));
    // Close the server without removing its socket file, as after a kill of the process.
    const { renameSync } = await import('node:fs');
    renameSync(localSocketPath(data), `${localSocketPath(data)}.kept`);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(`${localSocketPath(data)}.kept`, localSocketPath(data));
    expect((await lstat(localSocketPath(data))).isSocket()).toBe(true);
    expect(await cli('status', '--data', data)).toBe(1);
    expect(err).toContain('No master is running');
    const socket = await serveLocalSocket(data, { handlers: {} as Handlers, log: pino({ level: 'silent' }) });
    await socket.close();
  });

  it('`keys` changes the key file directly', async () => {
    await cli('init', '--data', data);
    expect(await cli('keys', 'add', 'anna', anna.publicKey, '--role', 'owner', '--data', data)).toBe(0);
    expect(out).toContain('anna can log in as owner');
    expect(await cli('keys', 'add', 'anna', anna.publicKey, '--data', data)).toBe(1);
    expect(err).toContain('already authorized');
    const ben = makePerson('ben').publicKey;
    expect(await cli('keys', 'add', 'ben', ben, '--data', data, '--json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: 'ben', role: 'operator' });
    expect(await cli('keys', 'remove', 'ben', '--data', data, '--json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: 'ben' });
    expect(await cli('keys', 'remove', 'anna', '--data', data)).toBe(1);
    expect(err).toContain('last key with the role owner');
    expect(await cli('keys', 'list', '--data', data)).toBe(0);
    expect(out).toMatch(/^NAME +ROLE +TEMPLATES +FINGERPRINT +ADDED\nanna +owner +all +SHA256:/);
  });

  it('`keys` waits for a master that is starting', async () => {
    await cli('init', '--data', data);
    const lease = await acquireLease(data);
    const hasTried = new Promise<void>((resolve) => {
      const watcher = watch(join(data, 'run'), (_, name) => {
        // The command has found no socket, and tries to acquire the lease.
        if (name?.startsWith('.lease-') === true) resolve();
      });
      onTestFinished(() => watcher.close());
    });
    const listed = cli('keys', 'list', '--data', data, '--json');
    await hasTried;
    const keys = await openKeyStore(join(data, 'config', 'keys.json'));
    const handlers = keysHandlers(keys, () => undefined) as Partial<Handlers> as Handlers;
    const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
    expect([await listed, out, err]).toEqual([0, '[]\n', '']);
    await socket.close();
    await lease.release();
  });

  it('`keys` creates no data folder', async () => {
    expect(await cli('keys', 'list', '--data', data)).toBe(1);
    expect(err).toContain(`No master is running on the data folder ${data}.`);
    expect(existsSync(data)).toBe(false);
  });

  it('`keys` can limit a key to some templates', async () => {
    await cli('init', '--data', data);
    const keys = (...args: readonly string[]) => cli('keys', ...args, '--data', data);
    const ben = makePerson('ben').publicKey;
    const operator = ['--role', 'operator', '--templates', 'lobby, bedwars*'];
    expect(await keys('add', 'ben', ben, ...operator)).toBe(0);
    expect(out).toContain('ben can log in as operator for lobby, bedwars*');
    expect(await keys('list')).toBe(0);
    expect(out).toMatch(/ben +operator +lobby, bedwars\* +SHA256:/);
    expect(await keys('limit', 'ben', '--templates', 'arena', '--json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: 'ben', templates: ['arena'] });
    expect(await keys('limit', 'ben', '--all-templates')).toBe(0);
    expect(out).toContain('ben can log in as operator for all templates');
    expect(await keys('limit', 'ben')).not.toBe(0);
    expect(err).toContain('--all-templates');
    expect(await keys('limit', 'ben', '--templates', 'a', '--all-templates')).not.toBe(0);
    expect(await keys('limit', 'ben', '--templates', '')).not.toBe(0);
    expect(err).toContain('must be a template id');
    expect(
      await keys('add', 'cleo', makePerson('cleo').publicKey, '--role', 'viewer', '--templates', 'a'),
    ).toBe(1);
    expect(err).toContain('cannot be limited to templates');
  });

  it('`template list` and `template show` read the template files directly', async () => {
    await cli('init', '--data', data);
    await mkdir(join(data, 'config', 'templates'), { recursive: true });
    await writeFile(
      join(data, 'config', 'templates', 'lobby.json'),
      '{"name": "The lobby", "isProxy": false}',
    );
    await writeFile(join(data, 'config', 'templates', 'bad.json'), '{"nam": 1}');
    expect(await cli('template', 'list', '--data', data)).toBe(0);
    expect(out).toMatch(/lobby +The lobby +server +0 +no limit +missing +ok/);
    expect(out).toMatch(/bad .*faulty/);
    expect(await cli('template', 'show', 'lobby', '--data', data, '--json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 'lobby', config: { name: 'The lobby', maxJvmMemory: 1024 } });
    expect(await cli('template', 'show', 'bad', '--data', data)).toBe(1);
    expect(err).toContain('did you mean "name"?');
    expect(await cli('template', 'show', 'bad', '--data', data, '--json')).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ id: 'bad', problems: [{ field: 'nam' }] });
    expect(await cli('template', 'show', 'gone', '--data', data)).toBe(1);
    expect(err).toContain('There is no template "gone"');
  });
});

function unmet(missing: number, message: string): Unmet {
  return { missing, wait: { reason: 'OTHER', message, until: null } };
}

describe('overworld-master, while a master is running,', () => {
  it('connects to the master through a socket that other users cannot access', async () => {
    await cli('init', '--data', data);
    const keys = await openKeyStore(join(data, 'config', 'keys.json'));
    const actors: string[] = [];
    const handlers = {
      ...keysHandlers(keys, ({ actor }) => actors.push(actor)),
      'master.info': (_, { name, role }) => ({
        version: '0.1.0',
        apiVersion: 1,
        cluster: 'c',
        hostname: hostname(),
        hostKey: 'SHA256:qJ3f9cTbW1',
        platform: 'linux',
        java: null,
        startedAt: 0,
        you: { name, role, readsFiles: true, templates: null },
      }),
      'services.list': () => ({
        revision: 1,
        complete: true,
        services: [],
        removed: [],
        network: { players: 3, limit: 100 },
      }),
      'nodes.list': () => [],
      'config.get': () => ({
        config: masterConfigSchema.parse({}),
        configRevision: '1',
        problems: [
          {
            ...{ field: 'max_online_players', problem: 'must be a whole number', line: 3 },
            ...{ value: '"many"', allowed: null, default: null },
          },
        ],
        running: masterConfigSchema.parse({}).communication,
        onDisk: null,
      }),
      'templates.list': () => [
        aTemplate('lobby', {}, { unmet: unmet(2, 'The maximum is 5.') }),
        aTemplate('survival', {}, { unmet: unmet(0, 'A save of survival-1 has failed.') }),
      ],
      'plan.noOrder': () => ({ reason: 'CONFIGURE_MODE', message: 'Configure mode is on.', until: null }),
      'nodes.provider': () => ({ trouble: 'The token is refused.' }),
      'wayIn.get': () => ({
        balancer: { state: 'absent', configPath: '/etc/x', addresses: [], entries: [], error: null },
        join: [{ host: '10.0.0.7', port: 25_577, via: 'proxy-1' }],
        problems: [],
        link: { listening: { host: '10.0.0.2', port: 1510 }, error: null, plugins: 1 },
      }),
    } as Partial<Handlers> as Handlers;
    const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
    try {
      expect((await stat(socket.path)).mode & 0o777).toBe(0o600);
      expect((await stat(join(data, 'run'))).mode & 0o777).toBe(0o700);
      expect(await cli('keys', 'add', 'anna', anna.publicKey, '--role', 'owner', '--data', data)).toBe(0);
      // The key store of the running master also contains the key, and not only the file.
      expect(keys.list().map(({ name }: AuthorizedKey) => name)).toEqual(['anna']);
      expect(actors).toEqual(['local']);
      expect(await cli('keys', 'add', 'x', 'nonsense', '--data', data)).toBe(1);
      expect(err).toContain('not a valid SSH public key');
      expect(await cli('status', '--data', data)).toBe(0);
      expect(out).toMatch(/Players +3 of 100/);
      expect(out).toContain('\nTemplate lobby is missing 2: The maximum is 5.\n');
      expect(out).toContain('\nTemplate survival waits: A save of survival-1 has failed.\n');
      expect(out).toContain('No node is ordered: Configure mode is on.');
      expect(out).toContain('The hosting provider: The token is refused.');
      expect(out).toContain(
        'The master configuration is faulty, so the last valid one applies. max_online_players (line 3) must be',
      );
      expect(out).toMatch(/Players join +10\.0\.0\.7:25577\n/);
      expect(out).toMatch(/Load balancer +none on this machine/);
      expect(out).toMatch(/Plugin link +10\.0\.0\.2:1510, 1 plugin linked\n/);
      expect(await cli('status', '--data', data, '--json')).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ you: { name: 'local', role: 'owner' } });
    } finally {
      await socket.close();
    }
    await expect(lstat(socket.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('names both versions and gives advice if it cannot read the answer of the master', async () => {
    await cli('init', '--data', data);
    // Simulate the responses of a master of another version.
    const handlers = {
      'master.info': () => ({ version: '0.0.1', more: true }),
    } as unknown as Handlers;
    const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
    try {
      expect(await cli('status', '--data', data)).toBe(1);
      expect(err).toContain(`The running master has version 0.0.1 and this command has version ${VERSION}`);
      expect(err).toContain('Update the older one. Restart the master after an update.');
    } finally {
      await socket.close();
    }
  });

  it('does not replace a file at the path of its socket if this file is not a socket', async () => {
    await mkdir(join(data, 'run'), { recursive: true });
    await writeFile(localSocketPath(data), 'mine');
    await expect(
      serveLocalSocket(data, { handlers: {} as Handlers, log: pino({ level: 'silent' }) }),
    ).rejects.toMatchObject({ code: 'DATA_FOLDER_UNSAFE' });
    await expect(readFile(localSocketPath(data), 'utf8')).resolves.toBe('mine');
  });
});

describe('overworld-master as a process', () => {
  it('runs, prints that it is ready, answers commands, and exits on request', async () => {
    const index = fileURLToPath(new URL('../../../../master/index.ts', import.meta.url));
    const args = [
      'run',
      '--data',
      data,
      '--ssh-host',
      '127.0.0.1',
      '--ssh-port',
      '0',
      '--announce',
      '--local-unsafe',
    ];
    const child = spawn(process.execPath, ['--import', 'tsx', index, ...args, '--owner-key', anna.publicKey]);
    try {
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const ready = await waitFor(() =>
        printed
          .split('\n')
          .filter((line) => line.endsWith('}'))
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .find((line) => line['ready'] === true),
      );
      expect(ready).toEqual({
        ready: true,
        host: '127.0.0.1',
        port: expect.any(Number) as number,
        hostKey: expect.stringMatching(/^SHA256:/) as string,
        pid: child.pid,
      });
      expect(await cli('status', '--data', data)).toBe(0);
      expect(await cli('keys', 'list', '--data', data, '--json')).toBe(0);
      expect(JSON.parse(out)).toMatchObject([{ name: 'anna', role: 'owner' }]);
      expect(await cli('init', '--data', data)).toBe(1);
      expect(err).toContain(`process ${String(child.pid)}`);
    } finally {
      const ended = new Promise((resolve) => child.on('close', resolve));
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
    expect(await cli('status', '--data', data)).toBe(1);
  });
});
