import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMaster, type RunningMaster } from '#master/boot/daemon.ts';
import { withMaster, type MasterClient } from '#master/cli/client.ts';
import type { SecurityEntry } from '#shared/model/access/security-entry.ts';
import { methods } from '#shared/rpc/contract.ts';
import { verifyChain } from '#master/store/security-log/chain.ts';
import { readSecurityFiles } from '#master/store/security-log/files.ts';
import { dropRights } from '#test/support/drop-rights.ts';
import { connect, makePerson, openRpc, type Person } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** A token of realistic length. */
const TOKEN = 'Zq3'.repeat(21) + 'x';
const owner = makePerson('anna');

async function start(data: string): Promise<RunningMaster> {
  const master = await startMaster({
    data,
    sshHost: '127.0.0.1',
    sshPort: 0,
    local: false,
    ownerKey: owner.publicKey,
    providerUrl: 'http://127.0.0.1:9/v1',
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => master.close());
  return master;
}

/** Reads the entries on disk, and verifies their chain. */
async function entriesOf(data: string): Promise<readonly SecurityEntry[]> {
  const { breaks, entries } = verifyChain(await readSecurityFiles(join(data, 'state', 'security')));
  expect(breaks).toEqual([]);
  return entries;
}

const messagesOf = async (data: string): Promise<string[]> =>
  (await entriesOf(data)).map(({ actor, message }) => `${actor}: ${message}`);

/** Logs in over SSH. */
function logIn({ host, port, hostKey }: RunningMaster, person: Person): ReturnType<typeof connect> {
  return connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, person);
}

async function setToken(client: MasterClient): Promise<void> {
  const { config, configRevision } = await client.call('config.get', {});
  const changed = { ...config, provider: { ...config.provider, api_token: TOKEN } };
  await client.call('config.update', { config: changed, basedOn: configRevision });
}

describe('the security log of a running master', () => {
  it('is written to the disk before the master acknowledges a change', async () => {
    const data = temporaryFolder();
    await start(data);
    await withMaster(data, async (client) => {
      const { publicKey } = makePerson('ben');
      await client.call('keys.add', { name: 'ben', role: 'viewer', publicKey });
      expect((await messagesOf(data)).at(-1)).toBe('local: Key ben was authorized as viewer');
      const limited = { name: 'cleo', role: 'operator', templates: ['lobby', 'bedwars*'] } as const;
      await client.call('keys.add', {
        ...{ ...limited, templates: [...limited.templates] },
        publicKey: makePerson('cleo').publicKey,
      });
      expect((await messagesOf(data)).at(-1)).toBe(
        'local: Key cleo was authorized as operator for lobby, bedwars*',
      );
      await client.call('keys.limit', { key: 'cleo', templates: ['lobby'] });
      expect((await messagesOf(data)).at(-1)).toBe('local: Key cleo (operator) is only for lobby now');
      await client.call('keys.limit', { key: 'cleo', templates: null });
      expect((await messagesOf(data)).at(-1)).toBe('local: Key cleo (operator) is for all templates now');
      await client.call('keys.remove', { key: 'ben' });
      expect((await messagesOf(data)).at(-1)).toBe('local: Key ben was removed');
      await client.call('templates.create', { id: 'lobby', config: {} });
      expect((await entriesOf(data)).at(-1)).toMatchObject({
        kind: 'template.created',
        subject: 'template lobby',
      });
      await setToken(client);
    });
    const entries = await entriesOf(data);
    expect(entries.slice(-2).map(({ kind }) => kind)).toEqual(['config.changed', 'token.changed']);
    expect(JSON.stringify(entries)).not.toContain(TOKEN);
  });

  it('contains the end of a session that ended itself, and the answer arrives before the session closes', async () => {
    const data = temporaryFolder();
    const master = await start(data);
    const client = await logIn(master, owner);
    const closed = once(client, 'close');
    const rpc = await openRpc(client);
    const sessions = methods['sessions.list'].result.parse(await rpc.sendRequest('sessions.list', {}));
    const own = sessions.find((session) => session.own);
    const ended = await rpc.sendRequest('sessions.end', { session: own?.id });
    expect(ended).toEqual(own);
    expect((await entriesOf(data)).at(-1)).toMatchObject({
      ...{ kind: 'session.ended', actor: 'anna', subject: 'key anna' },
      message: 'The session of anna from 127.0.0.1 was ended',
    });
    await closed;
  });

  it('contains logins, refused logins, and calls that the role does not permit', async () => {
    const data = temporaryFolder();
    const master = await start(data);
    const ben = makePerson('ben');
    await withMaster(data, (client) =>
      client.call('keys.add', { name: 'ben', role: 'viewer', publicKey: ben.publicKey }),
    );
    (await logIn(master, owner)).end();
    for (let i = 0; i < 3; i++) await expect(logIn(master, makePerson('stranger'))).rejects.toThrow();
    const client = await logIn(master, ben);
    const rpc = await openRpc(client);
    await expect(rpc.sendRequest('keys.list', {})).rejects.toThrow();
    rpc.dispose();
    client.end();
    await waitFor(async () => (await messagesOf(data)).includes('unknown: A login was refused'));
    await master.close();
    const messages = await messagesOf(data);
    expect(messages).toEqual(
      expect.arrayContaining([
        'local: Key anna was authorized as owner',
        'overworld: The master started',
        'anna: anna logged in as owner',
        'unknown: A login was refused',
        'ben: ben logged in as viewer',
        'ben: ben was refused keys.list',
        'unknown: A login was refused, and 2 more times within an hour',
        'overworld: The master stopped',
      ]),
    );
    const logins = (await entriesOf(data)).filter(({ kind }) => kind.startsWith('login.'));
    expect(logins.every(({ address }) => address === '127.0.0.1')).toBe(true);
  });
});

describe('a change of keys.json by hand while the master is running', () => {
  interface KeysFile {
    keys: { name: string; role: string; publicKey: string; addedAt: number }[];
  }

  it('is applied and recorded, ends the sessions of removed keys, and is ignored if the file is faulty', async () => {
    const data = temporaryFolder();
    const master = await start(data);
    const [ben, carl] = [makePerson('ben'), makePerson('carl')];
    await withMaster(data, async (client) => {
      for (const [{ name, publicKey }, role] of [
        [ben, 'viewer'],
        [carl, 'viewer'],
      ] as const)
        await client.call('keys.add', { name, role, publicKey });
    });
    const path = join(data, 'config', 'keys.json');
    const said = (text: string) =>
      waitFor(async () => (await messagesOf(data)).some((message) => message.includes(text)), { what: text });
    const session = await logIn(master, ben);
    const closed = new Promise<void>((resolve) => session.on('close', () => resolve()));

    const good = await readFile(path, 'utf8');
    await writeFile(path, good.slice(0, -20));
    await said('someone with an editor: The list of keys was edited and has mistakes');
    await edit(path, good, (file) => (file.keys = file.keys.filter(({ role }) => role !== 'owner')));
    await waitFor(async () =>
      (await entriesOf(data)).some(({ cause }) => cause.includes('no key has the role owner any more')),
    );
    (await logIn(master, carl)).end();

    await edit(path, good, (file) => {
      file.keys = file.keys.filter(({ name }) => name !== 'ben');
      for (const key of file.keys)
        if (key.name === 'carl') Object.assign(key, { role: 'operator', templates: ['lobby', 'arena-*'] });
    });
    await closed;
    await said('someone with an editor: Key ben was removed');
    await said('someone with an editor: Key carl was authorized as operator for lobby, arena-*');
    await expect(logIn(master, ben)).rejects.toThrow();
    await withMaster(data, async (client) => {
      expect((await client.call('keys.list', {})).map(({ name, role }) => `${name} ${role}`)).toEqual([
        'anna owner',
        'carl operator',
      ]);
    });
  });

  it('is recorded before a change through the API that reverses it at once', async () => {
    const data = temporaryFolder();
    await start(data);
    const path = join(data, 'config', 'keys.json');
    const add = async (name: string): Promise<void> => {
      const publicKey = makePerson(name).publicKey.split(' ', 2).join(' ');
      await edit(path, await readFile(path, 'utf8'), ({ keys }) =>
        keys.push({ name, role: 'viewer', publicKey, addedAt: 1 }),
      );
    };
    await add('ben');
    await withMaster(data, (client) => client.call('keys.remove', { key: 'ben' }));
    await add('carl');
    const messages = await waitFor(async () => {
      const all = await messagesOf(data);
      return all.some((message) => message.includes('Key carl')) ? all : null;
    });
    expect(messages.filter((message) => message.includes('Key ben'))).toEqual([
      'someone with an editor: Key ben was authorized as viewer',
      'local: Key ben was removed',
    ]);
  });

  it('is recorded with the reason if the master has no right to read the file', async () => {
    dropRights();
    const data = temporaryFolder();
    await start(data);
    await chmod(join(data, 'config', 'keys.json'), 0);
    const entry = await waitFor(async () =>
      (await entriesOf(data)).find(({ kind }) => kind === 'config.faulty'),
    );
    expect(entry.message).toBe(
      'The list of keys was edited and cannot be read, so the last good list stays in use',
    );
    expect(entry.cause).toContain('chown');
  });

  /** Parses `content`, applies `change`, and writes the result to `path`. */
  async function edit(path: string, content: string, change: (file: KeysFile) => void): Promise<void> {
    const file = JSON.parse(content) as KeysFile;
    change(file);
    await writeFile(path, JSON.stringify(file));
  }
});
