import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import ssh2 from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { CONTENTS_REFUSAL, type Role } from '#shared/model/access/role.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import { SessionRegistry } from '#master/admin/sessions.ts';
import {
  SshServiceClient,
  type SshServiceOptions,
} from '#master/admin/ssh-service/master-side/ssh-service-client.ts';
import { MAX_MESSAGE_BYTES, toMaster, toService } from '#master/admin/ssh-service/messages.ts';
import { connectPeer, type Peer, type PeerHandlers } from '#master/admin/ssh-service/peer.ts';
import { directBackend } from '#master/admin/ssh/direct-backend.ts';
import type { SshServer } from '#master/admin/ssh/ssh-server.ts';
import type { Handlers } from '#master/admin/api.ts';
import type { FileEvent } from '#master/files/sftp/file-event.ts';
import type { FileView } from '#master/files/sftp/views/view.ts';
import { loginRequest } from '#test/support/login-request.ts';
import { makePerson, type Person } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });
const limits = { maxAnswerBytes: MAX_MESSAGE_BYTES, maxRequestBytes: MAX_MESSAGE_BYTES, maxPending: 1_000 };
/** The messages without rules for the sent parameters, because an attacker does not check these rules. */
const unchecked = Object.fromEntries(
  Object.entries(toMaster).map(([name, { result }]) => [name, { params: z.any(), result }]),
) as unknown as typeof toMaster;
const unused = (): never => {
  throw new Error('the master does not ask for this here');
};
const serviceHandlers: PeerHandlers<typeof toService> = {
  start: () => ({ host: '127.0.0.1', port: 1 }),
  ping: () => ({}),
  settings: () => ({}),
  hangUp: () => ({}),
  stop: () => ({}),
  ...{ manifest: unused, search: unused, copy: unused, cancel: () => ({}) },
  ...{ requirePlaceForCopy: unused, storeCopy: unused },
};

interface TakenOver {
  /** The current connection to the master. */
  readonly master: () => Peer<typeof toMaster>;
  /** Connections that the master has opened for the admin API. */
  readonly spare: Socket[];
  /** Returns the number of times that the master has connected. */
  readonly starts: () => number;
  readonly fileEvents: FileEvent[];
  readonly sessions: SessionRegistry;
  readonly anna: Person;
  /** Authorizes another key. */
  readonly authorize: (role: Role, templates: TemplateLimit) => Promise<Person>;
}

interface TakeOverOptions {
  /** Handlers of the service for some messages. */
  readonly handlers?: Partial<PeerHandlers<typeof toService>>;
  readonly client?: Partial<SshServiceOptions>;
  /** Called with each further connection of the master. */
  readonly onSpare?: (stream: Socket) => void;
  /** Views of every key, and whether viewers may read the contents of files. By default, there are no views. */
  readonly backend?: Pick<Parameters<typeof directBackend>[0], 'views' | 'viewersRead'>;
}

/**
 * Starts a master whose SSH service is the test itself, as if an attacker ran code in the SSH service. The key of
 * Anna is authorized.
 */
async function takeOver(given: TakeOverOptions = {}): Promise<TakenOver> {
  const { handlers, client: options, onSpare, backend: rights = { viewersRead: () => false } } = given;
  const folder = temporaryFolder();
  const keys = await openKeyStore(join(folder, 'keys.json'));
  const anna = makePerson('anna');
  await keys.add({ name: 'anna', role: 'owner', publicKey: anna.publicKey });
  const sessions = new SessionRegistry();
  const fileEvents: FileEvent[] = [];
  const backend = directBackend({
    ...{ keys, sessions, log, handlers: {} as Handlers },
    ...rights,
    onFileEvent: (event) => fileEvents.push(event),
  });
  const socket = join(folder, 'ssh.sock');
  const spare: Socket[] = [];
  let current: Peer<typeof toMaster> | null = null;
  let starts = 0;
  const server = createServer((stream) => {
    if (current !== null) {
      spare.push(stream);
      onSpare?.(stream);
      return;
    }
    starts += 1;
    current = connectPeer({
      ...{ stream, sends: unchecked, receives: toService, limits, log },
      handlers: { ...serviceHandlers, ...handlers },
      onClose: () => (current = null),
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const hostKey = await loadPrivateKey(join(folder, 'host_key'));
  const folders = { templates: join(folder, 'templates'), files: join(folder, 'files'), staged: null };
  const client = new SshServiceClient({
    ...{ socket, log, settings: () => ({ viewersRead: false, reserveBytes: 0 }) },
    start: { host: '127.0.0.1', port: 0, hostKey, folders },
    ...options,
  });
  let ssh: SshServer | null = null;
  onTestFinished(async () => {
    backend.close();
    await ssh?.close();
    for (const stream of spare) stream.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  ssh = await client.start(backend);
  const master = (): Peer<typeof toMaster> => {
    if (current === null) throw new Error('the master is not connected');
    return current;
  };
  const authorize = async (role: Role, templates: TemplateLimit): Promise<Person> => {
    const person = makePerson([role, ...(templates ?? [])].join(' '));
    await keys.add({ name: person.name, role, templates, publicKey: person.publicKey });
    return person;
  };
  return { master, spare, starts: () => starts, fileEvents, sessions, anna, authorize };
}

/**
 * Returns a login with the proof of a client. @param session data from which the id of the SSH session is computed
 */
function loginOf(person: Person, session: Buffer) {
  const key = ssh2.utils.parseKey(person.privateKey);
  if (key instanceof Error) throw key;
  const signed = loginRequest({ algorithm: 'ssh-ed25519', key: key.getPublicSSH(), session });
  const signature = key.sign(signed);
  return {
    ...{ address: '192.0.2.1', software: 'test', algorithm: 'ssh-ed25519' as const },
    key: key.getPublicSSH().toString('base64'),
    proof: { signature: signature.toString('base64'), signed: signed.toString('base64') },
  };
}

it('a hostile SSH service gets a session only with a signature of the key, and only one session per signature', async () => {
  const { master, anna, sessions } = await takeOver();
  const login = loginOf(anna, Buffer.from('a session of Anna'));
  const forged = { ...login, proof: { ...login.proof, signed: Buffer.from('another').toString('base64') } };
  expect(await master().call('login', { ...login, proof: null })).toEqual({ kind: 'probe' });
  expect(await master().call('login', forged)).toEqual({ kind: 'refused' });
  expect(await master().call('login', loginOf(makePerson('eve'), Buffer.from('x')))).toEqual({
    kind: 'refused',
  });
  expect(sessions.list()).toEqual([]);

  const first = await master().call('login', login);
  expect(first).toMatchObject({ kind: 'accepted', key: { name: 'anna', role: 'owner' } });
  if (first.kind !== 'accepted') return;
  await master().call('closed', { session: first.session });
  expect(await master().call('login', login)).toEqual({ kind: 'refused' });
  expect(sessions.list()).toEqual([]);
});

it('a hostile SSH service can name only existing sessions, and cannot act as another person', async () => {
  const { master, anna, spare, fileEvents } = await takeOver();
  const place = { session: '00000000', view: 'volumes' as const, names: [] };
  await expect(master().call('view.list', place)).rejects.toThrow('The session has ended');
  await expect(master().call('change.begin', place)).rejects.toThrow('The session has ended');
  const event = { kind: 'files.deleted' as const, path: '/files/x' };
  await expect(master().call('fileEvent', { session: '00000000', ...event })).rejects.toThrow(
    'The session has ended',
  );

  const stream = await waitFor(() => spare[0]);
  const ended = once(stream, 'close');
  stream.resume().write(`${JSON.stringify({ session: '00000000' })}\n`);
  await ended;

  const login = await master().call('login', loginOf(anna, Buffer.from('a session of Anna')));
  if (login.kind !== 'accepted') throw new Error('the login was refused');
  await master().call('fileEvent', { session: login.session, ...event });
  expect(fileEvents).toEqual([{ ...event, template: null, actor: 'anna' }]);
});

it('a hostile SSH service loses all sessions after an invalid message or a message that is too large', async () => {
  const { master, anna, sessions, starts } = await takeOver();
  const breaches = [
    () => master().notify('refused', { address: '192.0.2.1', why: 'x'.repeat(70_000) }),
    () => master().notify('refused', { address: 'x'.repeat(1_000), why: '' }),
  ];
  for (const [done, breach] of breaches.entries()) {
    await waitFor(() => starts() === done + 1);
    await master().call('login', loginOf(anna, Buffer.from(`session ${done}`)));
    expect(sessions.list()).toHaveLength(1);
    breach();
    await waitFor(() => sessions.list().length === 0);
    await waitFor(() => starts() === done + 2);
  }
});

it('a hostile SSH service can report only changes that the key of the session may make', async () => {
  const { master, fileEvents, authorize } = await takeOver();
  const [files, viewer] = [await authorize('files', ['lobby']), await authorize('viewer', null)];
  const report = async (person: Person, event: { path: string; to?: string }): Promise<unknown> => {
    const login = await master().call(
      'login',
      loginOf(person, Buffer.from(JSON.stringify([person.name, event]))),
    );
    if (login.kind !== 'accepted') throw new Error('the login was refused');
    const { session } = login;
    return master()
      .call('fileEvent', { session, kind: 'files.renamed', ...event })
      .catch(() => 'refused');
  };
  const lobby = '/templates/lobby/a.txt';
  expect(await report(files, { path: lobby, to: '/templates/lobby/b.txt' })).toEqual({});
  expect(await report(files, { path: lobby, to: '/templates/bedwars/b.txt' })).toBe('refused');
  expect(await report(files, { path: '/templates/lobby/../bedwars/b.txt' })).toBe('refused');
  expect(await report(files, { path: '/files/a.txt' })).toBe('refused');
  expect(await report(files, { path: '/services/lobby-1/a.txt' })).toBe('refused');
  expect(await report(viewer, { path: lobby })).toBe('refused');
  const event = { kind: 'files.renamed', path: lobby, to: '/templates/lobby/b.txt' };
  expect(fileEvents).toEqual([{ ...event, template: 'lobby', actor: 'files lobby' }]);
});

it('a hostile SSH service can use the views of services and volumes only with the rights of the role', async () => {
  let viewersMay = true;
  const attrs = { size: 1, uid: 0, gid: 0, mode: 0, atimeMs: 0, mtimeMs: 0 };
  const begun: string[] = [];
  const view: FileView = {
    stat: () => Promise.resolve(attrs),
    list: () => Promise.resolve({ attrs, next: () => Promise.resolve([]), close: () => undefined }),
    open: () =>
      Promise.resolve({ attrs, read: () => Promise.resolve(Buffer.from('x')), close: () => undefined }),
    change: (_names, actor) => {
      begun.push(actor);
      throw new Error('no volume');
    },
  };
  const { master, authorize } = await takeOver({
    backend: { viewersRead: () => viewersMay, views: () => ({ services: view, volumes: view }) },
  });
  const place = async (role: Role) => {
    const login = await master().call('login', loginOf(await authorize(role, null), Buffer.from(role)));
    if (login.kind !== 'accepted') throw new Error('the login was refused');
    return { session: login.session, view: 'volumes' as const, names: ['survival', '1', 'level.dat'] };
  };
  const [viewer, files] = [await place('viewer'), await place('files')];
  const { handle } = await master().call('view.open', viewer);
  const content = { session: viewer.session, handle, position: 0, length: 1 };
  expect(await master().call('view.read', content)).toEqual({ content: 'eA==' });
  viewersMay = false;
  await expect(master().call('view.read', content)).rejects.toThrow(CONTENTS_REFUSAL);
  await expect(master().call('view.open', viewer)).rejects.toThrow(CONTENTS_REFUSAL);
  await expect(master().call('change.begin', viewer)).rejects.toThrow(
    'role viewer, which cannot change files',
  );
  expect(await master().call('view.stat', viewer)).toEqual(attrs);
  expect((await master().call('view.open', files)).attrs).toEqual(attrs);
  await expect(master().call('change.begin', files)).rejects.toThrow();
  expect(begun).toEqual(['files']);
});

it('a hostile SSH service gets at most 256 sessions, and at most 32 with one key', async () => {
  const { master, anna, sessions, authorize } = await takeOver();
  const logIn = (person: Person, count: number) =>
    master().call('login', loginOf(person, Buffer.from(`session ${count}`)));
  for (let count = 0; count < 32; count++) expect((await logIn(anna, count)).kind).toBe('accepted');
  const refusal = { kind: 'refused', why: 'too many sessions of this key (at most 32)' };
  expect(await logIn(anna, 32)).toEqual(refusal);
  for (let person = 1; person < 8; person++) {
    const files = await authorize('files', [`lobby-${person}`]);
    for (let count = 0; count < 32; count++) expect((await logIn(files, count)).kind).toBe('accepted');
  }
  const viewer = await authorize('viewer', null);
  expect(await logIn(viewer, 0)).toEqual({ kind: 'refused', why: 'too many sessions (at most 256)' });
  const probe = { ...loginOf(viewer, Buffer.from('probe')), proof: null };
  expect(await master().call('login', probe)).toEqual({ kind: 'probe' });
  expect(await logIn(makePerson('eve'), 0)).toEqual({ kind: 'refused' });
  const [first] = sessions.list();
  await master().call('closed', { session: first?.id ?? '' });
  expect((await logIn(viewer, 0)).kind).toBe('accepted');
});

it('an SSH service that answers no pings is killed and replaced', async () => {
  let killed = 0;
  const { master, starts, sessions, anna } = await takeOver({
    handlers: { ping: () => new Promise<never>(() => undefined) },
    client: { pingMs: 20, startMs: 2_000, kill: () => Promise.resolve((killed += 1)) },
  });
  await master().call('login', loginOf(anna, Buffer.from('a session of Anna')));
  await waitFor(() => starts() > 1);
  expect(killed).toBeGreaterThan(0);
  expect(sessions.list()).toEqual([]);
});

it('an SSH service that answers pings is not killed', async () => {
  let [pings, killed] = [0, 0];
  const { starts } = await takeOver({
    handlers: {
      ping: () => {
        pings += 1;
        return {};
      },
    },
    client: { pingMs: 5, kill: () => Promise.resolve((killed += 1)) },
  });
  await waitFor(() => pings >= 20);
  expect({ killed, starts: starts() }).toEqual({ killed: 0, starts: 1 });
});

it('an SSH service that does not start in time is killed and replaced', async () => {
  let [asked, killed] = [0, 0];
  const { master, starts } = await takeOver({
    handlers: {
      start: () => {
        asked += 1;
        return asked === 2 ? new Promise<never>(() => undefined) : { host: '127.0.0.1', port: 1 };
      },
    },
    client: { startMs: 2_000, kill: () => Promise.resolve((killed += 1)) },
  });
  master().close();
  await waitFor(() => starts() === 3);
  await waitFor(() => asked === 3);
  expect(killed).toBeGreaterThan(0);
});

it('an SSH service that closes an unused connection for the admin API gets another connection', async () => {
  const { spare } = await takeOver({ onSpare: (stream) => stream.destroy() });
  await waitFor(() => spare.length >= 2);
});

it('an SSH service can complete writes of an ended session, but cannot begin new writes', async () => {
  const closing: string[] = [];
  const { master, anna, sessions } = await takeOver({
    handlers: {
      hangUp: ({ session }) => {
        closing.push(session);
        return {};
      },
    },
  });
  const login = await master().call('login', loginOf(anna, Buffer.from('a session of Anna')));
  if (login.kind !== 'accepted') throw new Error('the login was refused');
  const { session } = login;
  await sessions.end(session);
  expect(closing).toEqual([session]);
  await expect(master().call('view.list', { session, view: 'volumes', names: [] })).rejects.toThrow(
    'The session has ended',
  );
  const event = { session, kind: 'files.written', path: '/files/x' } as const;
  await master().call('fileEvent', event);
  await master().call('closed', { session });
  await expect(master().call('fileEvent', event)).rejects.toThrow('The session has ended');
});
