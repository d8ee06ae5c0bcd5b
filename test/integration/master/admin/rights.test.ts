import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roles } from '#shared/model/access/role.ts';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import { openFlag, request, status } from '#master/files/sftp/protocol/protocol.ts';
import { extendedHandlers } from '#master/files/sftp/requests/extended.ts';
import { requestHandlers } from '#master/files/sftp/requests/table.ts';
import {
  connect,
  makePerson,
  openRpc,
  startAdminMaster,
  type AdminMaster,
} from '#test/support/master/admin-master.ts';
import { field, openRawSftp, u32, u64, type RawSftp } from '#test/support/files/raw-sftp.ts';
import { allButViewers, everyone, lowestRole, mayDo, readers } from './rights-table.ts';
import { fillFolder, isAllowed, sftpAttempts, type SftpAttempt } from '#test/support/files/sftp-attempts.ts';

/**
 * These tests try each right of each role (rights-table.ts) over a real SSH connection. A new method, request or
 * extension of SFTP fails the test until the table contains its right.
 */

const people = [...roles, 'unknown key'] as const;
/** Calls of methods for viewers that read contents of files. */
const readingCalls = [
  ['files.search', { name: '', text: 'content', caseSensitive: false, limit: 10 }],
  ['files.manifest', { hashes: true }],
] as const;

type WhoTries = (typeof people)[number];
type Row = Readonly<Record<WhoTries, 'allowed' | 'refused'>>;

let master: AdminMaster;
/** Setting `access.viewers_read_files`. */
let viewersRead = false;
/** The logins, admin API connections and SFTP sessions of each role. An entry is missing if the master refused it. */
const clients = new Map<WhoTries, Client>();
const rpcs = new Map<WhoTries, MessageConnection>();
const sftps = new Map<WhoTries, RawSftp>();

/** Sets whether viewers may read files. Resolves when the setting applies to all sessions. */
async function letViewersRead(isAllowed: boolean): Promise<void> {
  viewersRead = isAllowed;
  await master.applySettings();
}

beforeAll(async () => {
  master = await startAdminMaster({
    handlers: (jobs) =>
      filesHandlers({
        ...{ jobs, events: { add: () => undefined }, viewersRead: () => viewersRead, tasks: new Tasks() },
      }),
    ssh: { viewersRead: () => viewersRead },
  });
  await fillFolder(join(master.folders.templates, 'shown'));
  for (const who of people) {
    const person = who === 'unknown key' ? makePerson('stranger') : await master.authorize(who);
    const client = await connect(master, person).catch(() => null);
    if (client === null) continue;
    clients.set(who, client);
    sftps.set(who, await openRawSftp(client));
    const rpc = await openRpc(client).catch(() => null);
    if (rpc !== null) rpcs.set(who, rpc);
  }
});
afterAll(async () => {
  for (const client of clients.values()) client.end();
  await master.close();
});

/** Returns the expected results for each role and an unknown key. */
function rowOf(allowed: readonly WhoTries[]): Row {
  const cells = people.map((who) => [who, allowed.includes(who) ? 'allowed' : 'refused'] as const);
  return Object.fromEntries(cells) as Row;
}

async function tried(attempt: (who: WhoTries) => Promise<boolean>): Promise<Row> {
  const allowed = await Promise.all(people.map(async (who) => ((await attempt(who)) ? [who] : [])));
  return rowOf(allowed.flat());
}

/**
 * Calls a method with parameters that it does not have. The master checks rights first, so the error says whether the
 * role may call the method, and nothing happens.
 */
async function mayCall(who: WhoTries, method: MethodName): Promise<boolean> {
  const rpc = rpcs.get(who);
  if (rpc === undefined) return false;
  const error: unknown = await rpc.sendRequest(method, { noSuchParameter: true }).catch((e: unknown) => e);
  const { code } = (error as { readonly data?: { readonly code?: string } }).data ?? {};
  expect(['FORBIDDEN', 'PARAMS_INVALID'], `${method} by ${who}`).toContain(code);
  return code === 'PARAMS_INVALID';
}

describe('the rights over SSH', () => {
  it('allow logins and SFTP for every role, but not for an unknown key', () => {
    expect([...clients.keys()]).toEqual(roles);
    expect([...sftps.keys()]).toEqual(roles);
  });

  it('allow every role except "files" to open the admin API', () => {
    expect([...rpcs.keys()]).toEqual(['viewer', 'operator', 'owner']);
  });
});

describe('the rights in the admin API', () => {
  it('have an entry in the rights table for each method', () => {
    expect(Object.keys(lowestRole).sort()).toEqual(Object.keys(methods).sort());
  });

  it.each(Object.entries(lowestRole))(
    'allow the call %s for the role %s and higher roles',
    async (method, lowest) => {
      const allowed = roles.slice(roles.indexOf(lowest));
      expect(await tried((who) => mayCall(who, method as MethodName))).toEqual(rowOf(allowed));
    },
  );
});

describe('the rights over SFTP', () => {
  it('have an entry in the rights table for each request and each extension', () => {
    const decided = new Set(Object.keys(mayDo).map((name) => name.split(' ')[0]));
    const named = Object.entries(request).filter(([name]) => name !== 'INIT' && name !== 'EXTENDED');
    const served = [...named.map(([name]) => name), ...extendedHandlers.keys()];
    expect([...decided].sort()).toEqual(served.sort());
    expect([...requestHandlers.keys()].sort()).toEqual(
      [...named.map(([, type]) => type), request.EXTENDED].sort(),
    );
  });
});

describe.each([
  { says: 'viewers may list files, but not read them', allows: false },
  { says: 'an owner lets viewers read files', allows: true },
])('while $says', ({ allows }) => {
  const readersNow = allows ? everyone : allButViewers;
  beforeAll(() => letViewersRead(allows));

  it.each(Object.entries(mayDo))('SFTP allows the request "%s" for the roles: %s', async (name, may) => {
    const row = await tried(async (who) => {
      const raw = sftps.get(who);
      if (raw === undefined) return false;
      const own = `${name.replaceAll(' ', '-')}-by-${who}-${allows}`;
      await fillFolder(join(master.folders.templates, 'lobby', own));
      return isAllowed(sftpAttempts[name as SftpAttempt], { raw, folder: `/templates/lobby/${own}` });
    });
    expect(row).toEqual(rowOf(may === readers ? readersNow : may));
  });

  it.each(readingCalls)(
    'the call %s reads the content of files only for roles that may read files',
    async (method, params) => {
      const row = await tried(async (who) => {
        const call = { ...params, folder: '/templates/shown', task: randomUUID() };
        const answer = rpcs.get(who)?.sendRequest(method, call);
        if (answer === undefined) return false;
        const error: unknown = await answer.then(
          () => null,
          (e: unknown) => e,
        );
        if (error !== null) expect(error).toMatchObject({ data: { code: 'FILE_CONTENTS_FORBIDDEN' } });
        return error === null;
      });
      expect(row).toEqual(rowOf(readersNow.filter((role) => role !== 'files')));
    },
  );

  it.each(readingCalls)(
    'the call %s lists the names of files for each role that may use the admin API',
    async (method, params) => {
      const names = method === 'files.search' ? { ...params, text: null } : { hashes: false };
      const row = await tried(async (who) => {
        const rpc = rpcs.get(who);
        await rpc?.sendRequest(method, { ...names, folder: '/templates/shown', task: randomUUID() });
        return rpc !== undefined;
      });
      expect(row).toEqual(rowOf(['viewer', 'operator', 'owner']));
    },
  );
});

it('a viewer gets no hash if an owner revokes the right to read files while the hash is computed', async () => {
  let checks = 0;
  // The right is checked when the file is opened, and before and after its hash is computed.
  const viewersReadTwice = (): boolean => (checks += 1) <= 2;
  const other = await startAdminMaster({ ssh: { viewersRead: viewersReadTwice }, inService: false });
  await fillFolder(join(other.folders.templates, 'shown'));
  const client = await connect(other, await other.authorize('viewer'));
  const raw = await openRawSftp(client);
  const open = await raw.ask(request.OPEN, field('/templates/shown/file'), u32(openFlag.READ), u32(0));
  const range = [u64(0), u64(0), u32(0)];
  const answer = await raw.ask(
    ...([request.EXTENDED, field('check-file-handle'), open.body, field('sha256'), ...range] as const),
  );
  expect([answer.status, checks]).toEqual([status.PERMISSION_DENIED, 3]);
  client.end();
  await other.close();
});

it('a viewer cannot read an open file any more after an owner has revoked the right to read files', async () => {
  await letViewersRead(true);
  const raw = sftps.get('viewer');
  const open = await raw?.ask(request.OPEN, field('/templates/shown/file'), u32(openFlag.READ), u32(0));
  const read = async () => raw?.ask(request.READ, open?.body ?? Buffer.alloc(0), u64(0), u32(100));
  expect((await read())?.body.toString()).toContain('content');
  await letViewersRead(false);
  expect((await read())?.status).toBe(status.PERMISSION_DENIED);
});
