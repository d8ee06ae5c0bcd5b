import { chmod, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { masterConfigSchema } from '#shared/config/master.ts';
import { printedBy, type Printed } from '#test/support/master/command-line.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let data: string;
let printed: Printed;
const anna = makePerson('anna');

beforeEach(() => {
  data = join(temporaryFolder(), 'data');
});

/** Runs a command line, and stores its output in `printed`. */
async function cli(...args: string[]): Promise<number> {
  printed = await printedBy(args);
  return printed.code;
}

describe('the command init', () => {
  it('creates a private data folder with the default configuration, and only once', async () => {
    expect(await cli('init', '--data', data, '--owner-key', anna.publicKey)).toBe(0);
    expect(printed.out).toContain('SHA256:');
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    const document = join(data, 'config', 'master.json');
    expect(JSON.parse(await readFile(document, 'utf8'))).toEqual(masterConfigSchema.parse({}));
    const hostKey = await readFile(join(data, 'config', 'host_key'), 'utf8');
    await writeFile(document, '{"configure_mode": true}');

    expect(await cli('init', '--data', data, '--json')).toBe(0);
    expect(JSON.parse(printed.out)).toEqual({
      dataFolder: data,
      configuration: document,
      hostKey: expect.stringMatching(/^SHA256:/) as unknown,
      communication: null,
      owner: null,
      hasOwner: true,
      changed: [],
    });
    expect(await readFile(document, 'utf8')).toBe('{"configure_mode": true}');
    expect(await readFile(join(data, 'config', 'host_key'), 'utf8')).toBe(hostKey);
    expect(await cli('keys', 'list', '--data', data, '--json')).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject([{ name: 'anna', role: 'owner' }]);
  });

  it('prints what it has created and changed, and the resulting configuration', async () => {
    const init = async (...args: readonly string[]): Promise<unknown> => {
      expect(await cli('init', '--data', data, '--json', ...args)).toBe(0);
      return JSON.parse(printed.out);
    };
    expect(await init()).toMatchObject({
      communication: { hostname: '127.0.0.1', port: 1510 },
      hasOwner: false,
      changed: ['data', 'key', 'configuration'],
    });
    expect(await init('--owner-key', anna.publicKey)).toMatchObject({
      owner: { name: 'anna', role: 'owner' },
      hasOwner: true,
      changed: ['owner'],
    });
    expect(await init('--owner-key', anna.publicKey)).toMatchObject({ changed: [] });
  });

  it('changes only the hostname in an existing configuration, and nothing in a faulty configuration', async () => {
    const document = join(data, 'config', 'master.json');
    await cli('init', '--data', data);
    await writeFile(document, '{\n  "max_online_players": 7\n}\n');
    const args = ['init', '--data', data, '--hostname', '203.0.113.7'];
    expect(await cli(...args)).toBe(0);
    const text = await readFile(document, 'utf8');
    expect(JSON.parse(text)).toEqual({
      max_online_players: 7,
      communication: { hostname: '203.0.113.7' },
    });
    expect(await cli(...args, '--json')).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject({
      communication: { hostname: '203.0.113.7' },
      changed: [],
    });

    await writeFile(document, '{"max_online_players": -1}');
    expect(await cli(...args)).toBe(1);
    expect(printed.err).toContain('max_online_players');
    expect(await readFile(document, 'utf8')).toBe('{"max_online_players": -1}');
    expect(await cli('init', '--data', data, '--hostname', 'mc.example.org')).toBe(2);
    expect(printed.err).toContain('IPv4');
  });

  it('explains how to add an owner if there is none', async () => {
    expect(await cli('init', '--data', data)).toBe(0);
    expect(printed.out).toContain('keys add');
  });

  it('rejects an invalid key', async () => {
    expect(await cli('init', '--data', data, '--owner-key', 'hello')).toBe(1);
    expect(printed.err).toMatch(/^This is not a valid SSH public key.*\n$/);
  });
});

describe('the command check', () => {
  it('reports no problem for a new data folder', async () => {
    await cli('init', '--data', data);
    expect(await cli('check', '--data', data)).toBe(0);
    expect(printed.out).toBe('No mistakes found.\n');
  });

  it('reports each mistake with file, field, value and allowed values', async () => {
    await cli('init', '--data', data);
    const config = join(data, 'config');
    await mkdir(join(config, 'templates'), { recursive: true });
    await mkdir(join(data, 'templates', 'lobby'), { recursive: true });
    await mkdir(join(data, 'templates', 'left-over'), { recursive: true });
    await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
    await writeFile(join(config, 'master.json'), '{"communication": {"port": 70000}}');
    await writeFile(
      join(config, 'templates', 'lobby.json'),
      '{"minJvmMemory": 2048, "defaultServiceFiles": []}',
    );
    await writeFile(
      join(config, 'templates', 'games.json'),
      '{"defaultServiceFiles": [{"path": "gone.yml", "destination": "a.yml"}]}',
    );
    await writeFile(join(config, 'templates', 'empty.json'), '');
    await writeFile(join(config, 'templates', 'big.json'), ' '.repeat(2_000_000));
    await writeFile(join(config, 'templates', 'latin.json'), Buffer.from('{"name": "\xe4"}', 'latin1'));
    await writeFile(join(config, 'templates', 'Wrong Name.json'), '{}');

    // If a disk is mounted at the folder of the templates, ext4 has created a folder on it.
    await mkdir(join(data, 'templates', 'lost+found'));

    expect(await cli('check', '--data', data)).toBe(1);
    const lines = printed.out.trim().split('\n');
    const find = (start: string): string => lines.filter((line) => line.startsWith(start)).join('\n');
    expect(find('config/master.json')).toMatch(/communication\.port.*70000.*65535.*1510/);
    expect(find('config/templates/lobby.json')).toMatch(/minJvmMemory.*maxJvmMemory/);
    expect(find('templates/lobby:')).toBe('');
    expect(find('config/templates/games.json')).toContain('gone.yml');
    expect(find('templates/games')).toContain('server.jar');
    expect(find('config/templates/empty.json')).toContain('empty');
    expect(find('config/templates/big.json')).toContain('2000000 bytes');
    expect(find('config/templates/latin.json')).toContain('UTF-8');
    expect(find('config/templates/Wrong Name.json')).toContain('not a template id');
    expect(find('templates/left-over')).toContain('belongs to no template');
    expect(find('templates/lost+found')).toBe('');

    expect(await cli('check', '--data', data, '--json')).toBe(1);
    expect(JSON.parse(printed.out)).toContainEqual({
      severity: 'mistake',
      file: 'config/templates/empty.json',
      problem: expect.stringContaining('empty') as unknown,
    });
  });

  it('reports a missing data folder, and a data folder that other users can access', async () => {
    expect(await cli('check', '--data', data)).toBe(1);
    expect(printed.out).toContain('overworld-master init');
    await cli('init', '--data', data);
    await chmod(data, 0o755);
    expect(await cli('check', '--data', data)).toBe(1);
    expect(printed.out).toContain('chmod 700');
  });
});
