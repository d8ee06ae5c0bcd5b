import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Client } from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { serviceFilesHandlers } from '#master/admin/handlers/services/service-files.ts';
import { secretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { Staging } from '#master/files/tasks/fetch/staging.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import type { FileAreaFolders } from '#master/files/sftp/jail/file-area.ts';
import { fileCallSlots } from '#master/control/services/live-files.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { KeptFiles } from '#master/runtime/kept/kept-files.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import type { Role } from '#shared/model/access/role.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { connect, openRpc, startAdminMaster } from '#test/support/master/admin-master.ts';
import { runtimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** A secret that is as long as those that masters create. */
const SECRET = '0123456789abcdef'.repeat(3);

/**
 * Creates a master with the service lobby-1, whose folder exists, and with the files that the exited service lobby-2
 * has left.
 *
 * @param folders folders to serve instead of those in the data folder
 */
async function masterWithService(folders: Partial<FileAreaFolders> = {}) {
  const fixture = await runtimeFixture(await practiceServerJar());
  const runtime = fixture.open();
  await runtime.prepare(serviceSpec());
  const live = join(fixture.services, 'lobby-1/files');
  const records = await RecordStore.open(join(temporaryFolder(), 'services.json'));
  const asked = { template: 'lobby', requestedAt: 1, cause: 'a test', manual: true };
  records.add({ ...asked, id: 'lobby-1' }).node = 'local';
  const keptFiles = new KeptFiles(fixture.logs);
  const content = Buffer.from(`secret=${SECRET}`);
  await keptFiles.add('lobby-2', 7, [{ path: 'logs/latest.log', changedAt: 1, whole: true, content }]);
  const calls = { now: 0, most: 0 };
  const count = async <T>(call: Promise<T>): Promise<T> => {
    calls.now += 1;
    calls.most = Math.max(calls.most, calls.now);
    return call.finally(() => (calls.now -= 1));
  };
  const counted = Object.assign(Object.create(runtime) as typeof runtime, {
    listFiles: (...call: Parameters<Runtime['listFiles']>) => count(runtime.listFiles(...call)),
    readFile: (...call: Parameters<Runtime['readFile']>) => count(runtime.readFile(...call)),
  });
  let viewersRead = false;
  const arriving = join(temporaryFolder(), 'arriving');
  const staging = await Staging.open(arriving, noReserves());
  const master = await startAdminMaster({
    staged: arriving,
    folders,
    handlers: (jobs) =>
      serviceFilesHandlers({
        context: { records, keptFiles, runtimeOf: () => counted, fileCalls: fileCallSlots() },
        ...{ jobs, tasks: new Tasks(), events: { add: () => undefined } },
        places: { staging, secret: secretFilter(SECRET) },
        viewersRead: () => viewersRead,
      }),
  });
  await mkdir(join(master.folders.templates, 'lobby'), { recursive: true });
  const clients: Client[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.end();
    await master.close();
  });
  const as = async (role: Role, templates?: TemplateLimit): Promise<MessageConnection> => {
    const client = await connect(master, await master.authorize(role, templates));
    clients.push(client);
    return openRpc(client);
  };
  return { master, live, arriving, as, calls, letViewersRead: () => (viewersRead = true) };
}

const pieceSchema = z.object({ base64: z.base64() });
const refusalSchema = z.object({ data: z.object({ code: z.string() }) });

/** Returns the error code of a call; null if it succeeds. */
function codeOf(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (thrown: unknown) => refusalSchema.parse(thrown).data.code,
  );
}

it("a viewer sees the names of a service's files, but not their content unless an owner allows it", async () => {
  const { as, letViewersRead } = await masterWithService();
  const viewer = await as('viewer');
  const live = { id: 'lobby-1', path: 'server.properties', from: 0, length: 100 };
  const kept = { id: 'lobby-2', endedAt: 7, path: 'logs/latest.log' };
  expect(
    await codeOf(viewer.sendRequest('services.listFiles', { id: 'lobby-1', folder: '', after: null })),
  ).toBeNull();
  expect(await viewer.sendRequest('services.keptFiles', { id: 'lobby-2' })).toMatchObject([{ endedAt: 7 }]);
  expect(await codeOf(viewer.sendRequest('services.readFile', live))).toBe('FILE_CONTENTS_FORBIDDEN');
  expect(await codeOf(viewer.sendRequest('services.readKeptFile', kept))).toBe('FILE_CONTENTS_FORBIDDEN');
  letViewersRead();
  expect(await codeOf(viewer.sendRequest('services.readFile', live))).toBeNull();
  expect(await viewer.sendRequest('services.readKeptFile', kept)).toEqual({
    text: `secret=${'removed-by-overworld'.padEnd(SECRET.length, '-')}`,
    whole: true,
  });
});

it('the master makes at most two file calls to a node at a time, for all connections and methods together', async () => {
  const { as, calls } = await masterWithService();
  const connections = await Promise.all([as('operator'), as('owner')]);
  const list = { id: 'lobby-1', folder: '', after: null };
  const read = { id: 'lobby-1', path: 'server.properties', from: 0, length: 100 };
  const all = connections.flatMap((connection) =>
    Array.from({ length: 25 }, (_, at) =>
      at % 5 === 0
        ? connection.sendRequest('services.readFile', read)
        : connection.sendRequest('services.listFiles', list),
    ),
  );
  for (const answer of all) expect(await answer).toBeDefined();
  expect(calls).toEqual({ now: 0, most: 2 });
});

it("a small file of a service, read in pieces, reveals no part of the network's secret", async () => {
  const { as, live } = await masterWithService();
  const before = 'motd=Hello\nsecret=';
  await writeFile(join(live, 'forwarding.yml'), `${before}${SECRET}\nport=1\n`);
  const operator = await as('operator', ['lobby']);
  const read = async (from: number, length: number): Promise<string> => {
    const request = { id: 'lobby-1', path: 'forwarding.yml', from, length };
    const { base64 } = pieceSchema.parse(await operator.sendRequest('services.readFile', request));
    return Buffer.from(base64, 'base64').toString();
  };
  const shown = await read(0, 1000);
  expect(shown).toBe(`${before}${'removed-by-overworld'.padEnd(SECRET.length, '-')}\nport=1\n`);
  // Pieces of all sizes are parts of the same text, and no piece continues after the end of the text.
  expect((await read(0, 25)) + (await read(25, 1000))).toBe(shown);
  expect(await read(before.length, SECRET.length)).toBe(
    shown.slice(before.length, before.length + SECRET.length),
  );
  expect(await read(shown.length, 1000)).toBe('');
});

it("a large file of a service, read in pieces, reveals no part of the network's secret", async () => {
  const { as, live } = await masterWithService();
  const at = [0, MAX_PIECE_BYTES - 20, 2 * MAX_PIECE_BYTES - 1, 3 * MAX_PIECE_BYTES];
  const contentWith = (text: string): Buffer => {
    const content = Buffer.alloc(3 * MAX_PIECE_BYTES + text.length, 'x');
    for (const position of at) content.write(text, position);
    return content;
  };
  await writeFile(join(live, 'large.log'), contentWith(SECRET));
  const shown = contentWith('removed-by-overworld'.padEnd(SECRET.length, '-'));
  const operator = await as('operator', ['lobby']);
  const read = async (from: number, length: number): Promise<Buffer> => {
    const request = { id: 'lobby-1', path: 'large.log', from, length };
    const { base64 } = pieceSchema.parse(await operator.sendRequest('services.readFile', request));
    return Buffer.from(base64, 'base64');
  };
  for (let from = 0; from < shown.length; from += MAX_PIECE_BYTES) {
    const piece = await read(from, MAX_PIECE_BYTES);
    expect([from, piece.equals(shown.subarray(from, from + MAX_PIECE_BYTES))]).toEqual([from, true]);
  }
  // Read pieces that begin inside the secret, end inside it, or are completely inside it.
  for (const position of at) {
    for (const [from, length] of [
      [position + 1, SECRET.length],
      [Math.max(0, position - 10), 11],
      [position + 5, 7],
    ] as const)
      expect([from, (await read(from, length)).toString()]).toEqual([
        from,
        shown.subarray(from, from + length).toString(),
      ]);
  }
});

it('the file with the link token of a service cannot be read', async () => {
  const { as, live } = await masterWithService();
  await writeFile(join(live, HAND_OVER_FILE), 'token=abc');
  const owner = await as('owner');
  const request = { id: 'lobby-1', path: HAND_OVER_FILE, from: 0, length: 100 };
  expect(await codeOf(owner.sendRequest('services.readFile', request))).toBe('FILE_FORBIDDEN');
});

it("a key that is limited to a template can copy files of the template's services only to this template", async () => {
  const { as, master, live } = await masterWithService();
  const { templates } = master.folders;
  await mkdir(join(templates, 'arena'));
  // People cannot create such links, but an administrator of the machine can.
  await symlink('../arena', join(templates, 'lobby/plugins'));
  await mkdir(join(live, 'plugins'));
  await writeFile(join(live, 'plugins/config.yml'), 'a: 1');
  const operator = await as('operator', ['lobby']);
  const copy = (paths: readonly string[], id = 'lobby-1') =>
    codeOf(operator.sendRequest('services.copyToTemplate', { id, paths, replace: true, task: randomUUID() }));
  expect(await copy(['server.properties'])).toBeNull();
  expect(await readFile(join(templates, 'lobby/server.properties'), 'utf8')).toContain('motd=Hello');
  expect(await copy(['plugins/config.yml'])).not.toBeNull();
  expect(await copy(['../../secret'])).toBe('PARAMS_INVALID');
  expect(await readdir(join(templates, 'arena'))).toEqual([]);
  const keep = operator.sendRequest('services.keepCopy', { id: 'lobby-1', task: randomUUID() });
  expect(await codeOf(keep)).toBe('FORBIDDEN');
});

it('the master stores at most 50 copies of services, and refuses further copies', async () => {
  const { as, master } = await masterWithService();
  const operator = await as('operator');
  const keep = () =>
    operator.sendRequest('services.keepCopy', {
      ...{ id: 'lobby-1', paths: ['server.properties'], task: randomUUID() },
    });
  const copies = join(master.folders.files, 'service-copies');
  for (let at = 0; at < 49; at++) await mkdir(join(copies, 'arena-1', `${at}`), { recursive: true });
  await keep();
  expect(await codeOf(keep())).toBe('SERVICE_COPIES_FULL');
  expect(await readdir(join(copies, 'arena-1'))).toHaveLength(49);
  expect(await readdir(join(copies, 'lobby-1'))).toHaveLength(1);
});

describe.runIf(canMount)('the copy of a service, if the shared files are on a disk of their own,', () => {
  const keep = (client: MessageConnection) =>
    client.sendRequest('services.keepCopy', { id: 'lobby-1', paths: ['world'], task: randomUUID() });

  it('is complete, and no temporary folder remains', async () => {
    const files = smallDisk(16);
    const { as, live, arriving } = await masterWithService({ files });
    await mkdir(join(live, 'world/region'), { recursive: true });
    await mkdir(join(live, 'world/data'));
    await writeFile(join(live, 'world/region/r.0.0.mca'), 'built by players');
    const operator = await as('operator');
    const { folder } = z.object({ folder: z.string() }).parse(await keep(operator));
    const copies = join(files, 'service-copies/lobby-1');
    expect(await readdir(copies)).toEqual([basename(folder)]);
    const world = join(copies, basename(folder), 'world');
    expect((await readdir(world)).toSorted()).toEqual(['data', 'region']);
    expect(await readFile(join(world, 'region/r.0.0.mca'), 'utf8')).toBe('built by players');
    expect(await readdir(arriving)).toEqual(['none']);
  });

  it('is removed if this disk is full', async () => {
    const files = smallDisk(4);
    const { as, live, arriving } = await masterWithService({ files });
    await mkdir(join(live, 'world'));
    await writeFile(join(live, 'world/level.dat'), Buffer.alloc(2 ** 20, 1));
    await fillDisk(files);
    expect(await codeOf(keep(await as('operator')))).toBe('DISK_FULL');
    expect(await readdir(join(files, 'service-copies/lobby-1'))).toEqual([]);
    expect(await readdir(arriving)).toEqual(['none']);
  });
});
