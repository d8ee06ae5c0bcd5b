import { createHash, randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { ManifestEntry } from '#shared/model/files.ts';
import type { Notification, Params, Result } from '#shared/rpc/contract.ts';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import type { NewEvent } from '#master/store/event-log.ts';
import { connect, openRpc, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

let master: AdminMaster;
let client: Client;
let rpc: MessageConnection;
let viewer: MessageConnection;
let viewing: Client;
let lobby: string;
let arena: string;
let files: string;
const events: NewEvent[] = [];

beforeAll(async () => {
  master = await startAdminMaster({
    handlers: (jobs) =>
      filesHandlers({
        jobs,
        events: { add: (event) => events.push(event) },
        viewersRead: () => true,
        tasks: new Tasks(),
      }),
  });
  client = await connect(master, await master.authorize('operator'));
  rpc = await openRpc(client);
  viewing = await connect(master, await master.authorize('viewer'));
  viewer = await openRpc(viewing);
  lobby = join(master.data, 'templates', 'lobby');
  arena = join(master.data, 'templates', 'arena');
  files = join(master.data, 'files');
});
afterAll(async () => {
  client.end();
  viewing.end();
  await master.close();
});

beforeEach(async () => {
  events.length = 0;
  for (const folder of [lobby, arena, files]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
  await mkdir(join(lobby, 'plugins', 'chat'), { recursive: true });
  await mkdir(join(lobby, 'empty'));
  await writeFile(join(lobby, 'server.properties'), 'motd=Hello\r\nmax-players=20\r\n# hello again\r\n');
  await writeFile(join(lobby, 'plugins', 'chat', 'config.yml'), 'greeting: "Grüße, hello!"\n');
  await writeFile(
    join(lobby, 'plugins', 'chat.jar'),
    Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 104, 101, 108, 108, 111]),
  );
  await writeFile(join(lobby, 'start.sh'), '#!/bin/sh\n');
  await chmod(join(lobby, 'start.sh'), 0o755);
  await utimes(join(lobby, 'start.sh'), 1_600_000_000, 1_600_000_000);
});

type FileMethod = 'files.manifest' | 'files.search' | 'files.copy';

function ask<M extends FileMethod>(method: M, params: Omit<Params<M>, 'task'>, by = rpc): Promise<Result<M>> {
  return by.sendRequest(method, { task: randomUUID(), ...params });
}

/** Returns the error code of a request, or `answered` if the request succeeded. */
async function codeOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'answered',
    (error: unknown) => (error as { readonly data: { readonly code: string } }).data.code,
  );
}

const sha = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('the call files.manifest', () => {
  it('returns all files below a folder by path, with sizes, times and modes', async () => {
    await symlink('/etc/passwd', join(lobby, 'out'));
    await writeFile(join(lobby, '.overworld-12ab.part'), 'half an upload');
    const entries = await ask('files.manifest', { folder: '/templates/lobby', hashes: true });
    expect(entries.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'folder empty',
      'link out',
      'folder plugins',
      'folder plugins/chat',
      'file plugins/chat.jar',
      'file plugins/chat/config.yml',
      'file server.properties',
      'file start.sh',
    ]);
    const start = entries.find(({ path }) => path === 'start.sh');
    expect(start).toEqual<ManifestEntry>({
      path: 'start.sh',
      kind: 'file',
      bytes: 10,
      modifiedAt: 1_600_000_000_000,
      mode: 0o755,
      hash: sha('#!/bin/sh\n'),
    });
    expect(entries.filter(({ kind, hash }) => kind !== 'file' && hash !== null)).toEqual([]);
  });

  it('returns hashes only on request', async () => {
    const entries = await ask('files.manifest', { folder: '/templates/lobby', hashes: false }, viewer);
    expect(entries.every(({ hash }) => hash === null)).toBe(true);
    expect(entries).toHaveLength(7);
  });

  it('accepts the root folder', async () => {
    await writeFile(join(files, 'shared.yml'), 'a');
    const entries = await ask('files.manifest', { folder: '/', hashes: false });
    expect(entries.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['files/shared.yml', 'templates/lobby/start.sh', 'templates/arena']),
    );
  });

  it.each([
    { it: 'a missing folder', folder: '/templates/nobody', want: 'FILE_NOT_FOUND' },
    { it: 'a file', folder: '/templates/lobby/start.sh', want: 'FILE_FORBIDDEN' },
    { it: 'a link out of the jail', folder: '/templates/lobby/out', want: 'FILE_FORBIDDEN' },
    { it: 'a path that leads out of the jail', folder: '/templates/../../config', want: 'FILE_NOT_FOUND' },
    { it: 'a NUL byte', folder: '/templates/lobby\0', want: 'FILE_FORBIDDEN' },
  ])('refuses $it', async ({ folder, want }) => {
    await symlink(join(master.data, 'config'), join(lobby, 'out'));
    await expect(codeOf(ask('files.manifest', { folder, hashes: false }))).resolves.toBe(want);
  });
});

describe('the call files.search', () => {
  const search = (request: Partial<Params<'files.search'>>) =>
    ask(
      'files.search',
      { folder: '/templates', name: '', text: null, caseSensitive: false, limit: 100, ...request },
      viewer,
    );
  const names = async (request: Partial<Params<'files.search'>>) =>
    (await search(request)).hits.map(({ path }) => path.replace('/templates/lobby/', '')).sort();

  it('finds names by a part or by a wildcard pattern, in upper and lower case', async () => {
    await expect(names({ name: 'CHAT' })).resolves.toEqual(['plugins/chat', 'plugins/chat.jar']);
    await expect(names({ name: '*.yml' })).resolves.toEqual(['plugins/chat/config.yml']);
    await expect(names({ name: 's?art.*' })).resolves.toEqual(['start.sh']);
    await expect(names({ name: 'CHAT', caseSensitive: true })).resolves.toEqual([]);
  });

  it('finds lines in text files with their line numbers, and skips binary files', async () => {
    const { hits, more, searched } = await search({ text: 'HELLO' });
    expect(Object.fromEntries(hits.map(({ path, lines }) => [path, lines]))).toEqual({
      '/templates/lobby/server.properties': [
        { line: 1, text: 'motd=Hello' },
        { line: 3, text: '# hello again' },
      ],
      '/templates/lobby/plugins/chat/config.yml': [{ line: 1, text: 'greeting: "Grüße, hello!"' }],
    });
    expect({ more, searched }).toEqual({ more: false, searched: 9 });
    await expect(names({ text: 'Hello', caseSensitive: true })).resolves.toEqual(['server.properties']);
  });

  it('stops at the maximum number of matches, and reports that there are more', async () => {
    const { hits, more } = await search({ text: 'hello', limit: 1 });
    expect(hits.flatMap(({ lines }) => lines)).toHaveLength(1);
    expect(more).toBe(true);
  });

  it('does not follow links', async () => {
    await symlink(join(master.data, 'config'), join(lobby, 'out'));
    await symlink('plugins', join(lobby, 'inside'));
    await expect(names({ name: '*key*' })).resolves.toEqual([]);
    await expect(names({ name: 'config.yml' })).resolves.toEqual(['plugins/chat/config.yml']);
  });
});

describe('the call files.copy', () => {
  const copy = (paths: string[], folder: string, onConflict: Params<'files.copy'>['onConflict'] = 'refuse') =>
    ask('files.copy', { paths, folder, onConflict });

  it('copies files and folders between templates with modes and times, and creates one event', async () => {
    const result = await copy(
      ['/templates/lobby/plugins', '/templates/lobby/start.sh', '/templates/lobby/empty'],
      '/templates/arena',
    );
    expect(result).toEqual({ files: 3, bytes: 49, skipped: [] });
    expect((await readdir(arena, { recursive: true })).sort()).toEqual([
      'empty',
      'plugins',
      'plugins/chat',
      'plugins/chat.jar',
      'plugins/chat/config.yml',
      'start.sh',
    ]);
    expect(await readFile(join(arena, 'plugins/chat/config.yml'), 'utf8')).toBe(
      'greeting: "Grüße, hello!"\n',
    );
    const { mode, mtimeMs } = await stat(join(arena, 'start.sh'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o755, 1_600_000_000_000]);
    expect(events.map(({ kind, template, message }) => ({ kind, template, message }))).toEqual([
      {
        kind: 'files.copied',
        template: 'arena',
        message: expect.stringMatching(
          /copied 3 files and folders to \/templates\/arena \(3 files\)$/,
        ) as string,
      },
    ]);
  });

  it('skips links, and lists them in its result', async () => {
    await symlink('/etc/passwd', join(lobby, 'plugins', 'out'));
    const result = await copy(['/templates/lobby/plugins'], '/files');
    expect(result.skipped).toEqual(['/templates/lobby/plugins/out']);
    expect(await readdir(join(files, 'plugins'))).not.toContain('out');
  });

  it.each([
    { onConflict: 'refuse', want: 'FILE_EXISTS', content: 'old', name: 'start.sh' },
    { onConflict: 'overwrite', want: 'answered', content: '#!/bin/sh\n', name: 'start.sh' },
    { onConflict: 'skip', want: 'answered', content: 'old', name: 'start.sh' },
    { onConflict: 'rename', want: 'answered', content: '#!/bin/sh\n', name: 'start (2).sh' },
  ] as const)(
    'applies the rule $onConflict to a name that already exists',
    async ({ onConflict, want, content, name }) => {
      await writeFile(join(arena, 'start.sh'), 'old');
      await expect(codeOf(copy(['/templates/lobby/start.sh'], '/templates/arena', onConflict))).resolves.toBe(
        want,
      );
      expect(await readFile(join(arena, name), 'utf8')).toBe(content);
      if (onConflict !== 'overwrite') expect(await readFile(join(arena, 'start.sh'), 'utf8')).toBe('old');
    },
  );

  it('adds files to existing folders, where it skips or replaces existing files', async () => {
    await mkdir(join(arena, 'plugins', 'chat'), { recursive: true });
    await writeFile(join(arena, 'plugins', 'chat', 'config.yml'), 'mine');
    const skipped = await copy(['/templates/lobby/plugins'], '/templates/arena', 'skip');
    expect(skipped).toEqual({ files: 1, bytes: 11, skipped: ['/templates/arena/plugins/chat/config.yml'] });
    expect(await readFile(join(arena, 'plugins/chat/config.yml'), 'utf8')).toBe('mine');
    await copy(['/templates/lobby/plugins'], '/templates/arena', 'overwrite');
    expect(await readFile(join(arena, 'plugins/chat/config.yml'), 'utf8')).toContain('greeting');
  });

  it.each([
    {
      it: 'copying a folder into itself',
      paths: ['/templates/lobby/plugins'],
      folder: '/templates/lobby/plugins/chat',
    },
    {
      it: 'copying a folder into itself through a link',
      paths: ['/templates/lobby/plugins'],
      folder: '/templates/lobby/in',
    },
    { it: 'creating a template', paths: ['/templates/lobby'], folder: '/templates' },
    {
      it: 'creating a template through a link',
      paths: ['/templates/lobby/plugins'],
      folder: '/templates/lobby/up',
    },
    { it: 'copying into the root', paths: ['/templates/lobby/plugins'], folder: '/' },
    { it: 'copying all templates', paths: ['/templates'], folder: '/files' },
    { it: 'copying from outside of the jail', paths: ['/templates/lobby/out/keys.json'], folder: '/files' },
    { it: 'copying out of the jail', paths: ['/templates/lobby/start.sh'], folder: '/templates/lobby/out' },
  ])('refuses $it', async ({ paths, folder }) => {
    await symlink('plugins/chat', join(lobby, 'in'));
    await symlink('..', join(lobby, 'up'));
    await symlink(join(master.data, 'config'), join(lobby, 'out'));
    await expect(codeOf(copy(paths, folder, 'overwrite'))).resolves.toBe('FILE_FORBIDDEN');
    expect((await readdir(join(master.data, 'templates'))).sort()).toEqual(['arena', 'lobby']);
    expect((await readdir(join(master.data, 'config'))).sort()).toEqual(['host_key', 'keys.json']);
  });

  it('is not permitted for viewers', async () => {
    const request: Omit<Params<'files.copy'>, 'task'> = {
      paths: ['/templates/lobby/start.sh'],
      folder: '/files',
      onConflict: 'refuse',
    };
    await expect(codeOf(ask('files.copy', request, viewer))).resolves.toBe('FORBIDDEN');
  });
});

describe('a file task', () => {
  const BYTES = 300 * 1_048_576;
  /**
   * Size of a sparse file (bytes). The file takes no space on the disk, but its copy takes seconds on all machines.
   */
  const SPARSE_BYTES = 8_192 * 1_048_576;
  const writeSparse = async (path: string): Promise<void> => {
    await writeFile(path, '');
    await truncate(path, SPARSE_BYTES);
  };

  it('reports its progress, and leaves no unfinished file after a cancellation', async () => {
    await writeSparse(join(lobby, 'world.dat'));
    const task = randomUUID();
    const told: Notification<'files.progress'>[] = [];
    const listening = rpc.onNotification('files.progress', (params: Notification<'files.progress'>) => {
      if (params.task !== task) return;
      told.push(params);
      if (params.bytes.done > 0) void rpc.sendRequest('files.cancel', { task });
    });
    const params = { paths: ['/templates/lobby/world.dat'], folder: '/files', onConflict: 'refuse', task };
    await expect(codeOf(rpc.sendRequest('files.copy', params))).resolves.toBe('TASK_CANCELLED');
    listening.dispose();
    expect(told[0]).toEqual({ task, files: { done: 0, total: 1 }, bytes: { done: 0, total: SPARSE_BYTES } });
    expect(await readdir(files)).toEqual([]);
    expect(events).toEqual([]);
  });

  it('is cancelled when its connection closes', async () => {
    await writeSparse(join(lobby, 'world.dat'));
    const other = await connect(master, await master.authorize('operator'));
    const asked = await openRpc(other);
    const begun = new Promise<void>((resolve) => {
      asked.onNotification('files.progress', ({ bytes }: Notification<'files.progress'>) => {
        if (bytes.done > 0) resolve();
      });
    });
    const params = { paths: ['/templates/lobby/world.dat'], folder: '/files', onConflict: 'refuse' };
    asked.sendRequest('files.copy', { ...params, task: randomUUID() }).catch(() => undefined);
    await begun;
    other.end();
    await expect.poll(() => readdir(files), { timeout: 10_000 }).toEqual([]);
  });

  it('is refused if its connection already has four running tasks', async () => {
    await writeFile(join(lobby, 'world.dat'), Buffer.alloc(BYTES, 7));
    const hashes = () => ask('files.manifest', { folder: '/templates/lobby', hashes: true });
    const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(hashes())));
    expect(codes.filter((code) => code === 'TOO_MANY')).toHaveLength(1);
  });
});

it('the copy of a file fails if another process replaces the unfinished file', async () => {
  // The file is so large that the partial file can be replaced while the copy runs.
  const size = 512 * 1_048_576;
  for (const [path, text] of [
    [join(lobby, 'world.zip'), 'genuine'],
    [join(files, 'impostor'), 'another'],
  ] as const) {
    await writeFile(path, text);
    await truncate(path, size);
  }
  await chmod(join(files, 'impostor'), 0o604);
  const done = codeOf(
    ask('files.copy', {
      paths: ['/templates/lobby/world.zip'],
      folder: '/templates/arena',
      onConflict: 'refuse',
    }),
  );
  const part = await waitFor(async () => (await readdir(arena)).find((name) => name.endsWith('.part')));
  await rename(join(files, 'impostor'), join(arena, part));
  expect(await done).toBe('TRANSFER_FAILED');
  expect(await readdir(arena)).toEqual([]);
});
