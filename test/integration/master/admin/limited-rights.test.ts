import { randomUUID } from 'node:crypto';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import { PUT_FILE } from '#shared/sftp/put-file.ts';
import type { Handlers } from '#master/admin/api.ts';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import { openFlag, request, status } from '#master/files/sftp/protocol/protocol.ts';
import { openSshAs, type OpenSsh } from '#test/support/files/openssh.ts';
import { field, openRawSftp, u32, type RawSftp } from '#test/support/files/raw-sftp.ts';
import { fillFolder, isAllowed, sftpAttempts, type SftpAttempt } from '#test/support/files/sftp-attempts.ts';
import { connect, openRpc, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { exampleParams } from '#test/support/master/example-params.ts';
import { limitedReach, mayDo, readers } from './rights-table.ts';

/**
 * These tests try each method and each SFTP request with keys that are limited to templates, over a real SSH
 * connection, within the limit and outside of it. A new method fails the test until rights-table.ts contains its
 * reach.
 */

const LIMIT = ['lobby', 'bedwars*'];
const limitedRoles = ['files', 'operator'] as const;
type LimitedRole = (typeof limitedRoles)[number];

/** Handlers that answer each call. Only methods on files have their real handlers. */
const answers = Object.fromEntries(Object.keys(methods).map((name) => [name, () => ({})]));

let master: AdminMaster;
let rpc: MessageConnection;
const sftps = new Map<LimitedRole, RawSftp>();
const clients: Client[] = [];
let openSsh: OpenSsh;

beforeAll(async () => {
  master = await startAdminMaster({
    handlers: (jobs) => ({
      // These answers are only examples. The types of the results do not matter here.
      ...(answers as unknown as Handlers),
      ...filesHandlers({
        ...{ jobs, events: { add: () => undefined }, viewersRead: () => false, tasks: new Tasks() },
      }),
    }),
  });
  const { templates, files } = master.folders;
  for (const id of ['lobby', 'bedwars-2', 'arena']) await fillFolder(join(templates, id));
  await fillFolder(join(files, 'shared'));
  // People cannot create links, but an administrator of the machine can.
  await symlink('../arena', join(templates, 'lobby', 'to-arena'));
  await symlink('..', join(templates, 'lobby', 'to-templates'));
  await symlink('../../files', join(templates, 'lobby', 'to-files'));
  await symlink('../arena/file', join(templates, 'lobby', 'to-file'));
  for (const role of limitedRoles) {
    const person = await master.authorize(role, LIMIT);
    const client = await connect(master, person);
    clients.push(client);
    sftps.set(role, await openRawSftp(client));
    if (role !== 'operator') continue;
    rpc = await openRpc(client);
    openSsh = await openSshAs(master, person);
  }
});
afterAll(async () => {
  for (const client of clients) client.end();
  await openSsh.close();
  await master.close();
});

/** Returns the error code of a call; null if it succeeds. */
async function codeOf(method: MethodName, params: object): Promise<string | null> {
  const answer = await rpc.sendRequest(method, params).then(
    () => null,
    (error: unknown) => error,
  );
  // A rejection is an `unknown`, here the error of the JSON-RPC library.
  return (answer as { readonly data?: { readonly code?: string } } | null)?.data?.code ?? null;
}

/** Returns whether the limit allows a call with example parameters about a template. */
async function mayCall(method: MethodName, template: string): Promise<boolean> {
  const code = await codeOf(method, exampleParams[method]({ template }));
  // The files in the examples do not exist.
  if (code !== 'FORBIDDEN') expect([null, 'FILE_NOT_FOUND'], `${method} about ${template}`).toContain(code);
  return code !== 'FORBIDDEN';
}

describe('the admin API for an operator with a key that is limited to some templates', () => {
  it('has an entry in the rights table for each method', () => {
    expect(Object.keys(limitedReach).sort()).toEqual(Object.keys(methods).sort());
  });

  it.each(Object.entries(limitedReach))('allows the call %s for these templates: %s', async (name, reach) => {
    // `Object.entries` widens the keys to strings; this applies to all names below, too.
    const method = name as MethodName;
    const tried: boolean[] = [];
    // Make the calls one after the other, because the examples use the same id for all tasks.
    for (const id of ['lobby', 'bedwars-2', 'arena', 'new']) tried.push(await mayCall(method, id));
    const want = {
      own: [true, true, false, false],
      everyone: [true, true, true, true],
      none: [false, false, false, false],
    };
    expect(tried).toEqual(want[reach]);
  });

  it('names the role and the templates of the key when it refuses a call', async () => {
    await expect(rpc.sendRequest('services.stop', { id: 'arena-1', kill: false })).rejects.toMatchObject({
      message:
        'Your key has the role operator, but services.stop needs a key for the template arena, and yours is only for lobby, bedwars*. Ask an owner of this master.',
      data: { code: 'FORBIDDEN', details: { method: 'services.stop', role: 'operator' } },
    });
  });

  it('checks the role first, then the parameters, and then the template limit', async () => {
    expect(await codeOf('players.kick', { noSuchParameter: true })).toBe('FORBIDDEN');
    expect(await codeOf('services.stop', { id: 'arena-1' })).toBe('PARAMS_INVALID');
  });

  it.each(['/templates/lobby/to-arena', '/templates/lobby/to-files'])(
    "follows no link out of the key's templates: %s",
    async (folder) => {
      const about = { folder, task: randomUUID() };
      expect(await codeOf('files.manifest', { ...about, hashes: true })).toBe('FILE_FORBIDDEN');
      const copy = { paths: ['/templates/lobby/file'], onConflict: 'overwrite' };
      expect(await codeOf('files.copy', { ...about, ...copy })).toBe('FILE_FORBIDDEN');
    },
  );

  it("searches only in the key's templates", async () => {
    const search = { name: 'file', text: null, caseSensitive: false, limit: 100 };
    for (const folder of ['/', '/templates', '/templates/lobby/to-templates']) {
      const { hits } = await rpc.sendRequest<{ hits: { path: string }[] }>('files.search', {
        ...{ ...search, folder },
        task: randomUUID(),
      });
      const places = new Set(
        hits.map(({ path }) => path.replace(/^.*\/(lobby|bedwars-2|arena|shared)\/.*$/, '$1')),
      );
      expect([...places].sort(), folder).toEqual(['bedwars-2', 'lobby']);
    }
  });
});

describe.each(limitedRoles)('SFTP for a key with the role %s that is limited to some templates', (role) => {
  const raw = (): RawSftp => {
    const session = sftps.get(role);
    if (session === undefined) throw new Error('no session');
    return session;
  };
  /** Requests whose answer does not depend on the files on the disk. */
  const harmless: readonly string[] = ['REALPATH', 'limits@openssh.com'];
  const attempt = (name: SftpAttempt, folder: string): Promise<boolean> =>
    isAllowed(sftpAttempts[name], { raw: raw(), folder });
  const names = async (folder: string): Promise<string> => {
    const open = await raw().ask(request.OPENDIR, field(folder));
    const listed = await raw().ask(request.READDIR, open.body);
    return listed.body.toString('latin1');
  };

  it.each(Object.entries(mayDo))(
    'in the key\'s templates, allows the request "%s" for the roles: %s',
    async (name, may) => {
      const own = `${name.replaceAll(' ', '-')}-by-${role}`;
      await fillFolder(join(master.folders.templates, 'bedwars-2', own));
      const allowed = await attempt(name as SftpAttempt, `/templates/bedwars-2/${own}`);
      expect(allowed).toBe(may === readers || may.includes(role));
    },
  );

  it.each(Object.keys(mayDo))("outside of the key's templates, refuses this request: %s", async (name) => {
    const outside = [
      '/templates/arena',
      '/templates/missing',
      '/templates/lobby/to-arena',
      '/templates/lobby/to-templates/arena',
      '/templates/lobby/../arena',
      '/files/shared',
      '/files',
      '/templates/lobby/to-files/shared',
    ];
    for (const folder of outside)
      expect(await attempt(name as SftpAttempt, folder), folder).toBe(harmless.includes(name));
  });

  it("lists only the key's templates", async () => {
    expect(await names('/')).not.toContain('files');
    for (const folder of ['/templates', '/templates/lobby/to-templates']) {
      const listed = await names(folder);
      expect(listed).toContain('lobby');
      expect(listed).toContain('bedwars-2');
      expect(listed).not.toContain('arena');
    }
  });

  it('gives the same answer for other templates as for missing templates', async () => {
    const answer = async (path: string): Promise<unknown> =>
      (await raw().ask(request.LSTAT, field(path))).body.toString();
    const other = await answer('/templates/arena');
    expect(other).toContain('Your key is only for the templates lobby, bedwars*');
    expect(await answer('/templates/missing')).toBe(other);
    expect(await answer('/files')).toBe(other);
  });

  it('does not open a file of another template through a link', async () => {
    for (const flags of [openFlag.READ, openFlag.WRITE, openFlag.READ | openFlag.CREAT]) {
      const open = await raw().ask(request.OPEN, field('/templates/lobby/to-file'), u32(flags), u32(0));
      expect(open.status).toBe(status.PERMISSION_DENIED);
    }
  });

  it.each([
    ['/templates/lobby/file', '/templates/arena/stolen'],
    ['/templates/arena/file', '/templates/lobby/stolen'],
    ['/templates/lobby/file', '/files/stolen'],
    ['/files/shared/file', '/templates/lobby/stolen'],
    ['/templates/lobby/file', '/templates/lobby/to-arena/stolen'],
    ['/templates/lobby/to-arena/file', '/templates/lobby/stolen'],
  ])('refuses to move %s to %s', async (from, to) => {
    const paths = [field(from), field(to)];
    const moves = [
      await raw().ask(request.RENAME, ...paths),
      await raw().ask(request.EXTENDED, field('posix-rename@openssh.com'), ...paths),
      await raw().ask(
        request.EXTENDED,
        field(PUT_FILE),
        field(`${from}.part`),
        field(to),
        u32(0),
        u32(0),
        field('new'),
      ),
    ];
    expect(moves.map((answer) => answer.status)).toEqual(moves.map(() => status.PERMISSION_DENIED));
    const [own, arena, files] = await Promise.all(
      ['templates/lobby', 'templates/arena', 'files'].map((folder) => readdir(join(master.data, folder))),
    );
    for (const folder of [own, arena, files]) expect(folder).not.toContain('stolen');
    expect(await readFile(join(master.folders.templates, 'arena', 'file'), 'utf8')).toBe('content');
  });

  it('refuses to change the templates folder itself', async () => {
    for (const path of ['/templates', '/templates/lobby/to-templates']) {
      const answer = await raw().ask(request.SETSTAT, field(path), u32(4), u32(0o777));
      expect(answer.status, path).toBe(status.PERMISSION_DENIED);
    }
    const made = await raw().ask(request.MKDIR, field('/templates/bedwars-9'), u32(0));
    expect(made.status).toBe(status.PERMISSION_DENIED);
  });
});

describe('the sftp program of OpenSSH with a key that is limited to some templates', () => {
  it("lists, uploads and downloads files of the key's templates", async () => {
    const local = join(master.data, 'local');
    const result = await openSsh.sftp(
      [
        'ls -1 /',
        'ls -1 /templates',
        'get /templates/lobby/file ' + local,
        `put ${local} /templates/bedwars-2/put`,
      ].join('\n'),
    );
    expect(result).toMatchObject({ code: 0 });
    const lines = result.output.split('\n').filter((line) => line.startsWith('/'));
    expect(lines).toEqual(['/templates', '/templates/bedwars-2', '/templates/lobby']);
    expect(await readFile(join(master.folders.templates, 'bedwars-2', 'put'), 'utf8')).toBe('content');
  });

  it.each([
    'ls /templates/arena',
    'get /templates/arena/file',
    'get /files/shared/file',
    'cd /templates/arena',
  ])("fails outside of the key's templates: %s", async (line) => {
    const result = await openSsh.sftp(`${line}\n`);
    expect(result.code).not.toBe(0);
    // OpenSSH's client says "not found" if it cannot look up a name.
    expect(result.output).toMatch(/only for the templates|Permission denied|not found/);
  });
});
