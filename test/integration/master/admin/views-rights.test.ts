import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileViews, type FileViewName } from '#shared/model/file-views.ts';
import { roles, type Role } from '#shared/model/access/role.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { openFlag, request, status } from '#master/files/sftp/protocol/protocol.ts';
import { field, openRawSftp, u32, u64, type RawSftp } from '#test/support/files/raw-sftp.ts';
import { fillFolder, isAllowed, sftpAttempts, type SftpAttempt } from '#test/support/files/sftp-attempts.ts';
import { startViews, type ViewsFixture } from '#test/support/files/views-fixture.ts';
import { connect } from '#test/support/master/admin-master.ts';
import { allButViewers, changesVolume, everyone, mayDo, mayDoInView, readers } from './rights-table.ts';

/**
 * These tests try each SFTP request on the files of services and volumes, with each role and with keys that have a
 * limit.
 */

const LIMIT = ['lobby', 'bedwars*'];
const limited = ['limited files', 'limited operator'] as const;
type WhoTries = Role | (typeof limited)[number];

/** A service uses the volume lobby/1. No service uses the volumes from lobby/2 on. */
const folders = {
  services: '/services/lobby-1/own',
  volumes: '/volumes/lobby/1/own',
} as const;
let freeVolumes = 1;

/** Creates a volume for an attempt that changes it. Returns a folder in it. */
async function freeVolume(): Promise<string> {
  const id = `lobby/${(freeVolumes += 1)}`;
  await views.addSave(id, (folder) => fillFolder(join(folder, 'own')));
  return `/volumes/${id}/own`;
}

let data: string;
let views: ViewsFixture;
let live: string;
/** Setting `access.viewers_read_files`. */
let viewersRead = false;
const clients: Client[] = [];
const sftps = new Map<WhoTries, RawSftp>();

/** Sets whether viewers may read files. Resolves when the setting applies to all sessions. */
async function letViewersRead(isAllowed: boolean): Promise<void> {
  viewersRead = isAllowed;
  await views.master.applySettings();
}

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'overworld-views-'));
  views = await startViews(data, { viewersRead: () => viewersRead });
  live = await views.addService('lobby-1');
  await fillFolder(join(live, 'own'));
  await fillFolder(join(await views.addService('arena-1'), 'own'));
  for (const volume of ['lobby/1', 'arena/1'])
    await views.addSave(volume, (folder) => fillFolder(join(folder, 'own')));
  await views.volumes.get('lobby/1').attach('lobby-1', 'node-1');
  const login = async (who: WhoTries, role: Role, limit: TemplateLimit): Promise<void> => {
    const client = await connect(views.master, await views.master.authorize(role, limit));
    clients.push(client);
    sftps.set(who, await openRawSftp(client));
  };
  for (const role of roles) await login(role, role, null);
  await login('limited files', 'files', LIMIT);
  await login('limited operator', 'operator', LIMIT);
});
afterAll(async () => {
  for (const client of clients) client.end();
  await views.master.close();
  await rm(data, { recursive: true, force: true });
});

function sessionOf(who: WhoTries): RawSftp {
  const session = sftps.get(who);
  if (session === undefined) throw new Error(`no session of ${who}`);
  return session;
}

const attempt = (who: WhoTries, name: SftpAttempt, folder: string): Promise<boolean> =>
  isAllowed(sftpAttempts[name], { raw: sessionOf(who), folder });

const attempts = Object.keys(mayDo) as SftpAttempt[];
const cases: readonly { readonly name: SftpAttempt; readonly view: FileViewName }[] = attempts.flatMap(
  (name) => fileViews.map((view) => ({ name, view })),
);

describe.each([
  { says: 'viewers may list files, but not read them', allows: false },
  { says: 'an owner lets viewers read files', allows: true },
])('while $says', ({ allows }) => {
  beforeAll(() => letViewersRead(allows));

  it.each(cases)(
    'SFTP allows the request $name in the folder $view only for the roles in the rights table',
    async ({ name, view }) => {
      const may = mayDoInView({ name: view, free: false }, name);
      const expected = may === readers ? (allows ? everyone : allButViewers) : may;
      const allowed = await Promise.all(
        roles.map(async (role) => ((await attempt(role, name, folders[view])) ? [role] : [])),
      );
      expect(new Set(allowed.flat())).toEqual(new Set(expected));
    },
  );
});

describe('in a volume without a service', () => {
  it.each(attempts)('SFTP allows this request only for the roles in the rights table: %s', async (name) => {
    await letViewersRead(false);
    const may = mayDoInView({ name: 'volumes', free: true }, name);
    const allowed = await Promise.all(
      roles.map(async (role) => ((await attempt(role, name, await freeVolume())) ? [role] : [])),
    );
    expect(new Set(allowed.flat())).toEqual(new Set(may === readers ? allButViewers : may));
  });

  it.each(attempts.filter(changesVolume))(
    'this request cannot change earlier saves of the volume: %s',
    async (name) => {
      const folder = await freeVolume();
      const saves = views.volumes.get(folder.split('/').slice(2, 4).join('/')).saves();
      const at = new Date(saves[0]?.at ?? 0)
        .toISOString()
        .slice(0, 19)
        .replace('T', '_')
        .replaceAll(':', '.');
      expect(await attempt('owner', name, folder.replace('/own', `/.saves/${at}/own`))).toBe(false);
    },
  );
});

it('the SFTP requests of the tests above have changed no file of the service, and made no save', async () => {
  const before = ['file', 'folder', 'link', 'other'];
  expect((await readdir(join(live, 'own'))).sort()).toEqual(before);
  expect(await readFile(join(live, 'own', 'file'), 'utf8')).toBe('content');
  expect(await readFile(join(live, 'own', 'other'), 'utf8')).toBe('other content');
  expect(views.volumes.get('lobby/1').saves()).toHaveLength(1);
});

describe.each(limited)('SFTP for a key that is limited to some templates: %s', (who) => {
  /** Requests whose answer does not depend on a path. */
  const harmless: readonly string[] = ['REALPATH', 'limits@openssh.com'];
  /** Request that reports the free space of the master's disk for all paths. */
  const space = 'statvfs@openssh.com';

  it.each(attempts)(
    "in the key's templates, this request is allowed only for the roles in the rights table: %s",
    async (name) => {
      const role = who === 'limited files' ? 'files' : 'operator';
      for (const [view, free, folder] of [
        ['services', false, folders.services],
        ['volumes', false, folders.volumes],
        ['volumes', true, await freeVolume()],
      ] as const) {
        const may = mayDoInView({ name: view, free }, name);
        expect(await attempt(who, name, folder), folder).toBe(may === readers || may.includes(role));
      }
    },
  );

  it.each(attempts.filter((name) => name !== space))(
    "outside of the key's templates, this request is refused: %s",
    async (name) => {
      const outside = [
        '/services/arena-1/own',
        '/services/missing-1/own',
        '/services/lobby-1/../arena-1/own',
        '/services/no service/own',
        '/volumes/arena/1/own',
        '/volumes/missing/1/own',
        '/volumes/lobby/../arena/1/own',
        '/volumes/arena/1/.saves/2026-11-28_12.00.00/own',
      ];
      for (const folder of outside)
        expect(await attempt(who, name, folder), folder).toBe(harmless.includes(name));
    },
  );

  it("lists only services and volumes of the key's templates, and treats all others as missing", async () => {
    const names = async (folder: string): Promise<string> => {
      const open = await sessionOf(who).ask(request.OPENDIR, field(folder));
      return (await sessionOf(who).ask(request.READDIR, open.body)).body.toString('latin1');
    };
    for (const [folder, shown, hidden] of [
      ['/services', 'lobby-1', 'arena-1'],
      ['/volumes', 'lobby', 'arena'],
      ['/', 'services', 'files'],
    ] as const) {
      expect(await names(folder)).toContain(shown);
      expect(await names(folder)).not.toContain(hidden);
    }
    const answer = async (path: string): Promise<string> =>
      (await sessionOf(who).ask(request.LSTAT, field(path))).body.toString();
    const other = await answer('/services/arena-1');
    expect(other).toContain('Your key is only for the templates lobby, bedwars*');
    for (const path of [
      '/services/missing-1',
      '/services/arena-1/own/file',
      '/volumes/arena',
      '/volumes/missing/1',
    ])
      expect(await answer(path)).toBe(other);
  });
});

it('a viewer cannot read an open file of a service any more after an owner has revoked the right', async () => {
  const raw = sessionOf('viewer');
  for (const folder of Object.values(folders)) {
    await letViewersRead(true);
    const open = await raw.ask(request.OPEN, field(`${folder}/file`), u32(openFlag.READ), u32(0));
    const read = () => raw.ask(request.READ, open.body, u64(0), u32(100));
    expect((await read()).body.toString()).toContain('content');
    await letViewersRead(false);
    expect((await read()).status).toBe(status.PERMISSION_DENIED);
  }
});
