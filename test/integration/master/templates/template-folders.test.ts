import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { dropRights } from '#test/support/drop-rights.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { waitFor } from '#test/support/wait-for.ts';

describe('TemplateFolders (creates revisions of the files of templates)', () => {
  it('creates a revision only after a folder has not changed for some time', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'plugins/a.yml': 'one', 'ops.json': '[]' });
    const folders = await openTemplates(where);
    const first = await settled(folders);
    expect(first).toMatchObject({ files: 2, bytes: 5, jar: null, problem: null });

    const seen: (string | null)[] = [];
    folders.onChange(() => seen.push(folders.state('lobby').revision));
    const upload = createWriteStream(join(folder, 'world.dat'));
    for (let part = 0; part < 10; part++) {
      await new Promise<void>((resolve, reject) =>
        upload.write('x'.repeat(1000), (error) => (error ? reject(error) : resolve())),
      );
      await waitFor(() => folders.state('lobby').changing);
      // Write at the pace of a slow upload. Each pause is far below the quiet time, and the sum of the pauses is far
      // above it.
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(new Set(seen)).toEqual(new Set([first.revision]));
    await new Promise<void>((resolve) => upload.end(resolve));
    const second = await settled(folders, first.revision);
    expect(second).toMatchObject({ files: 3, bytes: 10_005 });
    expect(new Set(seen)).toEqual(new Set([first.revision, second.revision]));

    await rm(join(folder, 'world.dat'));
    expect((await settled(folders, second.revision)).revision).toBe(first.revision);
  });

  it('creates a revision after a change of permissions, but not after a change of times', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'run.sh': '#!/bin/sh\n' });
    const folders = await openTemplates(where);
    const first = await settled(folders);
    await chmod(join(folder, 'run.sh'), 0o755);
    const second = await settled(folders, first.revision);
    await writeFile(join(folder, 'run.sh'), '#!/bin/sh\n');
    await waitFor(() => folders.state('lobby').changing);
    expect((await settled(folders)).revision).toBe(second.revision);
  });

  it('returns the revision that new files replace, with an upload that was still in progress', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'server.txt': 'old' });
    const folders = await openTemplates(where);
    const first = await settled(folders);
    await writeFile(join(folder, 'upload.txt'), 'of someone else');
    await waitFor(() => folders.state('lobby').changing);
    const replaced = await folders.put('lobby', [{ name: 'server.txt', text: 'new' }]);
    const last = await settled(folders, replaced);
    expect(replaced).not.toBe(first.revision);
    const { removed, added } = await folders.compare('lobby', {
      from: replaced ?? '',
      to: last.revision ?? '',
    });
    expect([removed, added]).toEqual([[], []]);
  });

  it('ignores unfinished uploads', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'a.txt': 'a' });
    const folders = await openTemplates(where);
    const first = await settled(folders);
    let changes = 0;
    folders.onChange(() => changes++);
    for (const name of [
      '.overworld-7f3a',
      'server.jar.part',
      'world.zip.filepart',
      'server.jar.0f3c9a1b.partial',
    ])
      await writeFile(join(folder, name), 'half');
    await writeFile(join(where.root, 'lobby', 'b.txt'), 'b');
    const second = await settled(folders, first.revision);
    expect(second.files).toBe(2);
    await rename(join(folder, '.overworld-7f3a'), join(folder, 'c.txt'));
    expect((await settled(folders, second.revision)).files).toBe(3);
    expect(changes).toBeGreaterThan(0);
  });

  it('copies exactly the stored revision, even if the folder changes meanwhile', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, {
      'server/deep/file.txt': 'first',
      'run.sh': 'x',
      'locked.txt': 'l',
    });
    await chmod(join(folder, 'run.sh'), 0o755);
    await chmod(join(folder, 'locked.txt'), 0o444);
    await mkdir(join(folder, 'empty', 'inner'), { recursive: true });
    const folders = await openTemplates(where);
    const { revision } = await settled(folders);
    await rm(join(folder, 'server'), { recursive: true });
    const destination = join(where.root, '..', 'copy');
    await folders.materialize('lobby', revision ?? '', destination);
    expect((await readdir(destination, { recursive: true })).sort()).toEqual([
      'empty',
      'empty/inner',
      'locked.txt',
      'run.sh',
      'server',
      'server/deep',
      'server/deep/file.txt',
    ]);
    expect(await readFile(join(destination, 'server/deep/file.txt'), 'utf8')).toBe('first');
    expect((await lstat(join(destination, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect((await lstat(join(destination, 'locked.txt'))).mode & 0o777).toBe(0o644);
    await writeFile(join(destination, 'run.sh'), 'changed by the service');
    await folders.materialize('lobby', revision ?? '', join(where.root, '..', 'copy-2'));
    expect(await readFile(join(where.root, '..', 'copy-2', 'run.sh'), 'utf8')).toBe('x');
  });

  it('keeps ten revisions, which share files that have not changed, and refuses older revisions', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'big.dat': 'x'.repeat(100_000), 'n.txt': '0' });
    const folders = await openTemplates(where);
    const revisions = [(await settled(folders)).revision ?? ''];
    for (let n = 1; n <= 11; n++) {
      await writeFile(join(folder, 'n.txt'), String(n));
      revisions.push((await settled(folders, revisions.at(-1))).revision ?? '');
    }
    const stored = (await readdir(join(where.revisions, 'lobby'))).filter((name) => !name.endsWith('.json'));
    expect(stored.sort()).toEqual(revisions.slice(2).sort());
    const unreadable = await folders
      .materialize('lobby', revisions[1] ?? '', join(where.root, '..', 'old'))
      .catch((error: unknown) => error);
    expect(hasCode(unreadable, 'TEMPLATE_UNREADABLE')).toBe(true);
    await folders.materialize('lobby', revisions[2] ?? '', join(where.root, '..', 'before'));
    expect(await readFile(join(where.root, '..', 'before', 'n.txt'), 'utf8')).toBe('2');
    const inodes = await Promise.all(
      stored.map(async (name) => (await lstat(join(where.revisions, 'lobby', name, 'big.dat'))).ino),
    );
    expect(new Set(inodes).size).toBe(1);
  });

  it('keeps a revision while it is read, even if there are ten newer revisions', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'n.txt': '0' });
    const folders = await openTemplates(where);
    let revision = (await settled(folders)).revision ?? '';
    const first = revision;
    const leases = [await folders.lease('lobby', first), await folders.lease('lobby', first)];
    const change = async (n: number): Promise<void> => {
      await writeFile(join(folder, 'n.txt'), String(n));
      revision = (await settled(folders, revision)).revision ?? '';
    };
    for (let n = 1; n <= 11; n++) await change(n);
    expect(leases[0]?.entries).toMatchObject([{ path: 'n.txt', size: 1 }]);
    // Releasing a lease twice does not affect other readers.
    leases[0]?.release();
    leases[0]?.release();
    await change(12);
    expect(await readFile(leases[1]?.pathOf('n.txt') ?? '', 'utf8')).toBe('0');
    leases[1]?.release();
    await change(13);
    const late = await folders.lease('lobby', first).catch((error: unknown) => error);
    expect(hasCode(late, 'TEMPLATE_UNREADABLE')).toBe(true);
  });

  it('recognises an unchanged folder without reading it, and removes files that a crash has left behind', async () => {
    const where = templatePlace();
    await writeTemplate(where, { 'a.txt': 'a' });
    const first = await openTemplates(where);
    const { revision } = await settled(first);
    await first.close();
    await mkdir(join(where.revisions, 'lobby', '.stage'));
    await mkdir(join(where.revisions, 'lobby', 'aaaaaaaaaaaaaaaa'));
    const stored = join(where.revisions, 'lobby', revision ?? '');
    const before = await lstat(stored);
    const second = await openTemplates(where);
    expect((await settled(second)).revision).toBe(revision);
    expect((await lstat(stored)).ino).toBe(before.ino);
    expect((await readdir(join(where.revisions, 'lobby'))).sort()).toEqual([
      revision,
      `${revision ?? ''}.json`,
    ]);
  });

  it.each([
    {
      it: 'a link to a file outside of the folder',
      make: (folder: string) => symlink('/etc/passwd', join(folder, 'passwd')),
      want: /passwd is a symbolic link to \/etc\/passwd, outside of the folder/,
    },
    {
      it: 'a link that leads out of the folder with ..',
      make: (folder: string) => symlink('../../revisions', join(folder, 'out')),
      want: /out is a symbolic link to \.\.\/\.\.\/revisions, outside of the folder/,
    },
    {
      it: 'a link that leads out of the folder through another link',
      make: async (folder: string) => {
        await mkdir(join(folder, 'sub'));
        await symlink('..', join(folder, 'sub', 'up'));
        await symlink('sub/up/../..', join(folder, 'through'));
      },
      want: /is a symbolic link to (\.\.|sub\/up\/\.\.\/\.\.), a folder that contains it/,
    },
    {
      it: 'a link to a parent folder',
      make: async (folder: string) => {
        await mkdir(join(folder, 'sub'));
        await symlink('../sub', join(folder, 'sub', 'again'));
      },
      want: /sub\/again is a symbolic link to a folder that contains it/,
    },
    {
      it: 'folders with links to each other',
      make: async (folder: string) => {
        for (const name of ['one', 'two']) await mkdir(join(folder, name));
        await symlink('../two', join(folder, 'one', 'link'));
        await symlink('../one', join(folder, 'two', 'link'));
      },
      want: /one\/link\/link is a symbolic link to a folder that contains it/,
    },
    {
      it: 'links that point to each other',
      make: async (folder: string) => {
        await symlink('two', join(folder, 'one'));
        await symlink('one', join(folder, 'two'));
      },
      want: /one is a symbolic link to two, which forms a loop/,
    },
    {
      it: 'a dangling link',
      make: (folder: string) => symlink('nowhere', join(folder, 'gone')),
      want: /gone is a symbolic link to nowhere, which does not exist/,
    },
    {
      it: 'a pipe',
      make: (folder: string) => Promise.resolve(execFileSync('mkfifo', [join(folder, 'pipe')])),
      want: /pipe is neither a file nor a folder/,
    },
    {
      it: 'a folder named server.jar',
      make: (folder: string) => mkdir(join(folder, 'server.jar')),
      want: /server\.jar is a folder/,
    },
    {
      it: 'a server.jar that is not an archive',
      make: (folder: string) => writeFile(join(folder, 'server.jar'), 'not a jar'),
      want: /not a complete zip archive. Upload it again/,
    },
  ])('rejects $it with an explanation, and accepts the folder after a correction', async ({ make, want }) => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'a.txt': 'a' });
    const folders = await openTemplates(where);
    const good = await settled(folders);
    await make(folder);
    const bad = await waitFor(() =>
      folders.state('lobby').problem === null ? null : folders.state('lobby'),
    );
    expect(bad.problem).toMatch(want);
    expect(bad.revision).toBeNull();
    for (const name of await readdir(folder))
      if (name !== 'a.txt') await rm(join(folder, name), { recursive: true });
    expect((await settled(folders, null)).revision).toBe(good.revision);
  });

  it('reports a missing folder, and uses the folder as soon as it exists', async () => {
    const where = templatePlace();
    const folders = await openTemplates(where);
    expect(folders.state('lobby')).toMatchObject({ revision: null, changing: false });
    expect(folders.state('lobby').problem).toMatch(/does not exist/);
    await folders.create('lobby');
    await folders.create('lobby');
    const empty = await settled(folders, null);
    expect(empty).toMatchObject({ files: 0, problem: null });
    await rm(join(where.root, 'lobby'), { recursive: true });
    await waitFor(() => folders.state('lobby').problem?.includes('does not exist'));
    await writeTemplate(where, { 'a.txt': 'a' });
    expect((await settled(folders, null)).files).toBe(1);
  });

  it.skipIf(process.platform === 'win32')('names a file that the master may not read', async () => {
    dropRights();
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'plugins/a.jar': 'a', 'plugins/b.jar': 'b' });
    await chmod(join(folder, 'plugins', 'b.jar'), 0);
    const folders = await openTemplates(where);
    await waitFor(() => folders.state('lobby').problem?.includes('revision'));
    expect(folders.state('lobby').problem).toBe(
      'Its files cannot be stored as a revision: plugins/b.jar cannot be read: the master has no permission to read it.',
    );
  });

  it('removes folder and revisions of a template, so that a new template of the same name is empty', async () => {
    const where = templatePlace();
    await writeTemplate(where, { 'a.txt': 'a' });
    const folders = await openTemplates(where);
    await settled(folders);
    await folders.remove('lobby');
    await folders.remove('lobby');
    expect(await readdir(where.root)).toEqual([]);
    expect(await readdir(where.revisions)).toEqual([]);
    await folders.create('lobby');
    expect((await settled(folders, null)).files).toBe(0);
  });

  it.skipIf(!canMount)('creates further revisions of a template whose folder cannot be removed', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'a.yml': 'one' });
    const folders = await openTemplates(where);
    await settled(folders);
    await mkdir(join(folder, 'world'));
    smallDisk(1, join(folder, 'world'));
    await expect(folders.remove('lobby')).rejects.toMatchObject({ code: 'EBUSY' });
    await writeFile(join(folder, 'b.yml'), 'two');
    const files = (await readdir(folder)).filter((name) => name.endsWith('.yml')).length;
    await waitFor(() => folders.state('lobby').files === files && !folders.state('lobby').changing);
    expect((await folders.revisions('lobby'))[0]?.revision).toBe(folders.state('lobby').revision);
  });

  it('reads the server software from the manifest of a real jar file', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where);
    const manifest = join(folder, '..', '..', 'MANIFEST.MF');
    await writeFile(
      manifest,
      'Implementation-Title: Practice Server\nImplementation-Version: 1.2.3\nMain-Class: Main\n',
    );
    execFileSync('jar', [
      'cfm',
      join(folder, 'server.jar'),
      manifest,
      '-C',
      join(where.root, '..'),
      'MANIFEST.MF',
    ]);
    const folders = await openTemplates(where);
    expect((await settled(folders)).jar).toMatchObject({ software: 'Practice Server 1.2.3' });
  });
});
