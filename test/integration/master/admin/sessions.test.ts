import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminSession } from '#shared/model/access/admin-session.ts';
import { methods } from '#shared/rpc/contract.ts';
import {
  connect,
  openRpc,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';
import { call, openSftp } from '#test/support/files/sftp.ts';
import { waitFor } from '#test/support/wait-for.ts';

let master: AdminMaster;
let clients: Client[];
beforeEach(async () => {
  master = await startAdminMaster();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.end();
  await master.close();
});

async function logIn(person: Person): Promise<Client> {
  const client = await connect(master, person);
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

/** Logs in and opens the admin API. `list` and `end` call its methods. */
async function openApp(person: Person) {
  const client = await logIn(person);
  const rpc = await openRpc(client);
  const list = async (): Promise<AdminSession[]> =>
    methods['sessions.list'].result.parse(await rpc.sendRequest('sessions.list', {}));
  const end = async (session: string): Promise<AdminSession> =>
    methods['sessions.end'].result.parse(await rpc.sendRequest('sessions.end', { session }));
  return { client, list, end };
}

const closed = (client: Client): Promise<void> =>
  new Promise((resolve) => client.on('close', () => resolve()));

describe('the SSH sessions', () => {
  it('are listed with key, role, address, software and channels, in the order of their logins', async () => {
    const owner = await master.authorize('owner');
    const guest = await master.authorize('files');
    const before = Date.now();
    const app = await openApp(owner);
    await openSftp(await logIn(guest));
    const [first, second, ...more] = await app.list();
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      key: owner.name,
      role: 'owner',
      address: '127.0.0.1',
      client: expect.stringMatching(/^ssh2js/) as string,
      channels: { api: 1, sftp: 0 },
      own: true,
    });
    expect(first?.since).toBeGreaterThanOrEqual(before);
    expect(second).toMatchObject({
      key: guest.name,
      role: 'files',
      channels: { api: 0, sftp: 1 },
      own: false,
    });
    const keys = master.keys.list();
    expect(second?.fingerprint).toBe(keys.find(({ name }) => name === guest.name)?.fingerprint);
  });

  it('end when the template limit of their key changes, and the next login has the new limit', async () => {
    const owner = await master.authorize('owner');
    const guest = await master.authorize('operator');
    const { list } = await openApp(owner);
    const ownerRpc = await openRpc(await logIn(owner));
    const limit = (templates: readonly string[] | null): Promise<unknown> =>
      ownerRpc.sendRequest('keys.limit', { key: guest.name, templates });
    const app = await openApp(guest);
    const sftp = await openSftp(app.client);
    await mkdir(join(master.folders.templates, 'arena'), { recursive: true });
    await call<Buffer>((done) => sftp.open('/templates/arena/file', 'w', done));
    const ended = closed(app.client);
    await expect(limit(['lobby'])).resolves.toMatchObject({ name: guest.name, templates: ['lobby'] });
    await ended;
    expect((await list()).map(({ key }) => key)).toEqual([owner.name, owner.name]);
    const again = await openSftp(await logIn(guest));
    await expect(call<unknown>((done) => again.stat('/templates/arena', done))).rejects.toThrow(
      /only for the template lobby/,
    );
    // Setting the same limit again ends no session.
    await limit(['lobby']);
    expect(await list()).toHaveLength(3);
  });

  it('are listed without closed channels, and disappear from the list when their connection closes', async () => {
    const app = await openApp(await master.authorize('owner'));
    const other = await logIn(await master.authorize('operator'));
    const sftp = await openSftp(other);
    const channelsOfOther = async () => (await app.list())[1]?.channels;
    expect(await channelsOfOther()).toEqual({ api: 0, sftp: 1 });
    sftp.end();
    await waitFor(async () => (await channelsOfOther())?.sftp === 0);
    other.end();
    await waitFor(async () => (await app.list()).length === 1);
  });

  it('are not listed before the login', async () => {
    const app = await openApp(await master.authorize('owner'));
    const stranger = { ...(await master.authorize('viewer')) };
    await master.keys.remove(stranger.name);
    await expect(connect(master, stranger)).rejects.toThrow();
    expect(await app.list()).toHaveLength(1);
  });

  it('are closed with their connection if an owner ends them, and their key can log in again', async () => {
    const app = await openApp(await master.authorize('owner'));
    const person = await master.authorize('operator');
    const client = await logIn(person);
    const end = closed(client);
    const session = (await app.list()).find(({ key }) => key === person.name);
    const ended = await app.end(session?.id ?? '');
    expect(ended).toEqual(session);
    await end;
    expect(master.sessionEnds).toEqual([{ session, actor: 'owner 1' }]);
    await waitFor(async () => (await app.list()).length === 1);
    await logIn(person);
    expect(await app.list()).toHaveLength(2);
  });

  it.each(['viewer', 'operator'] as const)(
    "can be seen by the role %s only if they belong to the caller's own key",
    async (role) => {
      const person = await master.authorize(role);
      const app = await openApp(person);
      const owners = await openApp(await master.authorize('owner'));
      const ownersId = (await owners.list()).find(({ own }) => own)?.id ?? '';
      await expect(app.end(ownersId)).rejects.toMatchObject({ data: { code: 'SESSION_NOT_FOUND' } });
      expect(master.sessionEnds).toEqual([]);
      const second = await logIn(person);
      const list = await app.list();
      expect(list.map(({ key, own }) => [key, own])).toEqual([
        [person.name, true],
        [person.name, false],
      ]);
      const end = closed(second);
      await app.end(list[1]?.id ?? '');
      await end;
    },
  );

  it('can end themselves, and receive the answer before the connection closes', async () => {
    const app = await openApp(await master.authorize('viewer'));
    const end = closed(app.client);
    const [own] = await app.list();
    expect(await app.end(own?.id ?? '')).toMatchObject({ own: true });
    await end;
  });

  it('of one key are limited in number, so that no person can prevent the logins of others', async () => {
    const guest = await master.authorize('files');
    for (let count = 0; count < 32; count++) await logIn(guest);
    await expect(connect(master, guest)).rejects.toThrow('closed before the login');
    await waitFor(() => master.refusals.length > 0);
    const { fingerprint } = master.keys.list().find(({ name }) => name === guest.name) ?? {};
    const why = `the key ${fingerprint} was refused: too many sessions of this key (at most 32)`;
    expect(master.refusals).toEqual([why]);
    const app = await openApp(await master.authorize('owner'));
    const [first] = await app.list();
    await app.end(first?.id ?? '');
    await waitFor(async () => logIn(guest).catch(() => undefined));
    expect(await app.list()).toHaveLength(33);
  });

  it('cannot be ended if the given id belongs to no session', async () => {
    const app = await openApp(await master.authorize('owner'));
    await expect(app.end('00000000')).rejects.toMatchObject({ data: { code: 'SESSION_NOT_FOUND' } });
  });
});

describe('an SSH session', () => {
  it('lasts until the request in progress is complete, even if its client has disconnected', async () => {
    let release = (): void => undefined;
    const answered = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    const unused = (): never => {
      throw new Error('not used');
    };
    const view = {
      ...{ list: unused, open: unused },
      stat: async (): Promise<never> => {
        asked += 1;
        await answered;
        return unused();
      },
    };
    await master.close();
    master = await startAdminMaster({ ssh: { views: () => ({ services: view, volumes: view }) } });
    const app = await openApp(await master.authorize('owner'));
    const guest = await logIn(await master.authorize('files'));
    const sftp = await openSftp(guest);
    sftp.stat('/volumes/plot', () => undefined);
    await waitFor(() => asked === 1);
    const ended = closed(guest);
    guest.end();
    await ended;
    // Wait until the master counts the channel as closed.
    await waitFor(async () => (await app.list())[1]?.channels.sftp === 0);
    expect(await app.list()).toHaveLength(2);
    release();
    await waitFor(async () => (await app.list()).length === 1);
  });

  it('records a partly written file before the SSH server finishes its shutdown', async () => {
    const sftp = await openSftp(await logIn(await master.authorize('files')));
    const handle = await call<Buffer>((done) => sftp.open('/files/world.bin', 'w', done));
    await call((done) => sftp.write(handle, Buffer.from('a part'), 0, 6, 0, done));
    expect(master.fileEvents).toEqual([]);
    await master.server.close();
    expect(master.fileEvents).toMatchObject([{ kind: 'files.written', path: '/files/world.bin' }]);
  });
});
