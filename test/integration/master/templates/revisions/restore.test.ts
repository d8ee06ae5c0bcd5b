import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { fillDisk, smallDisk, canMount } from '#test/support/files/small-disk.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Creates two revisions of one template with all possible kinds of differences. */
async function twoContents() {
  const where = templatePlace();
  const folder = await writeTemplate(where, {
    'same.txt': 'same',
    'changed.txt': 'first',
    'gone.txt': 'gone',
    'was/file.txt': 'in a folder',
    swap: 'a file',
  });
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'run.sh'), 'run');
  await chmod(join(folder, 'run.sh'), 0o755);
  await utimes(join(folder, 'gone.txt'), 1_600_000_000, 1_600_000_000);
  const folders = await openTemplates(where);
  const first = (await settled(folders)).revision ?? '';
  await writeFile(join(folder, 'changed.txt'), 'second');
  await rm(join(folder, 'was'), { recursive: true });
  await rm(join(folder, 'empty'), { recursive: true });
  await unlink(join(folder, 'gone.txt'));
  await unlink(join(folder, 'swap'));
  await mkdir(join(folder, 'swap'));
  await writeFile(join(folder, 'swap', 'inside.txt'), 'now a folder');
  await chmod(join(folder, 'run.sh'), 0o644);
  const second = (await settled(folders, first)).revision ?? '';
  return { where, folder, folders, first, second };
}

/** Returns everything below a folder by path, with content and permission bits. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    const stats = await lstat(join(folder, path));
    const mode = (stats.mode & 0o777).toString(8);
    content[path] = stats.isDirectory() ? 'folder' : `${mode} ${await readFile(join(folder, path), 'utf8')}`;
  }
  return content;
}

async function codeOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof OverworldError ? String(error.code) : String(error);
  }
}

const FIRST = {
  'changed.txt': '644 first',
  empty: 'folder',
  'gone.txt': '644 gone',
  'run.sh': '755 run',
  'same.txt': '644 same',
  swap: '644 a file',
  was: 'folder',
  'was/file.txt': '644 in a folder',
};
const SECOND = {
  'changed.txt': '644 second',
  'run.sh': '644 run',
  'same.txt': '644 same',
  swap: 'folder',
  'swap/inside.txt': '644 now a folder',
};

describe('the earlier revisions of a template', () => {
  it('are listed with their differences, the newest first', async () => {
    const { folders, first, second } = await twoContents();
    const kept = await folders.revisions('lobby');
    expect(kept.map(({ revision, files, current }) => ({ revision, files, current }))).toEqual([
      { revision: second, files: 4, current: true },
      { revision: first, files: 6, current: false },
    ]);
    expect(kept[0]?.at).toBeGreaterThan(kept[1]?.at ?? Infinity);
    await expect(folders.compare('lobby', { from: first, to: second })).resolves.toEqual({
      added: ['swap/inside.txt'],
      removed: ['empty/', 'gone.txt', 'swap', 'was/file.txt'],
      changed: ['changed.txt', 'run.sh'],
    });
    await expect(codeOf(folders.compare('lobby', { from: first, to: 'f'.repeat(16) }))).resolves.toBe(
      'REVISION_NOT_FOUND',
    );
  });

  it('are available after a restart of the master', async () => {
    const { where, folders, first, second } = await twoContents();
    await folders.close();
    const next = await openTemplates(where);
    await settled(next, null);
    expect((await next.revisions('lobby')).map(({ revision }) => revision)).toEqual([second, first]);
  });
});

describe('the restore of a revision', () => {
  it('restores content, permissions and times, and can be undone by another restore', async () => {
    const { folder, folders, first, second } = await twoContents();
    const untouched = (await lstat(join(folder, 'same.txt'), { bigint: true })).ctimeNs;
    await folders.restore('lobby', first);
    expect(await contentOf(folder)).toEqual(FIRST);
    expect((await lstat(join(folder, 'gone.txt'))).mtimeMs).toBe(1_600_000_000_000);
    expect((await lstat(join(folder, 'same.txt'), { bigint: true })).ctimeNs).toBe(untouched);
    expect((await settled(folders, second)).revision).toBe(first);
    expect((await folders.revisions('lobby')).map(({ revision }) => revision)).toEqual([first, second]);
    await folders.restore('lobby', second);
    expect(await contentOf(folder)).toEqual(SECOND);
    expect((await settled(folders, first)).revision).toBe(second);
  });

  it('never stores a folder as a revision while it is incomplete', async () => {
    const { folders, first, second } = await twoContents();
    const seen = new Set<string | null>();
    folders.onChange(() => seen.add(folders.state('lobby').revision));
    await folders.restore('lobby', first);
    await settled(folders, second);
    expect([...seen].sort()).toEqual([first, second].sort());
  });

  it('waits for an upload, and keeps the uploaded content as a revision', async () => {
    const { folder, folders, first, second } = await twoContents();
    await writeFile(join(folder, 'late.txt'), 'just arrived');
    await waitFor(() => (folders.state('lobby').changing ? true : null));
    await folders.restore('lobby', first);
    expect(await contentOf(folder)).toEqual(FIRST);
    await settled(folders, second);
    const late = (await folders.revisions('lobby'))[1]?.revision ?? '';
    await expect(folders.compare('lobby', { from: second, to: late })).resolves.toMatchObject({
      added: ['late.txt'],
    });
  });

  it('keeps files of unfinished uploads', async () => {
    const { folder, folders, first } = await twoContents();
    await writeFile(join(folder, '.overworld-12ab.part'), 'half');
    await folders.restore('lobby', first);
    expect(await contentOf(folder)).toEqual({ ...FIRST, '.overworld-12ab.part': '644 half' });
  });

  it('is refused if the revision is not stored, or if the current content cannot be stored', async () => {
    const { folder, folders, first } = await twoContents();
    await expect(codeOf(folders.restore('lobby', '0123456789abcdef'))).resolves.toBe('REVISION_NOT_FOUND');
    await symlink('/etc/passwd', join(folder, 'link'));
    await waitFor(() => folders.state('lobby').problem);
    await expect(codeOf(folders.restore('lobby', first))).resolves.toBe('TEMPLATE_UNREADABLE');
    await unlink(join(folder, 'link'));
    expect(await contentOf(folder)).toEqual(SECOND);
  });

  it('undoes its changes if it cannot be completed', async () => {
    const { folder, folders, first, second } = await twoContents();
    // An incomplete upload prevents the removal of this folder, although the revision has a file at the folder's
    // path.
    await writeFile(join(folder, 'swap', '.overworld-12ab.part'), 'half');
    await expect(codeOf(folders.restore('lobby', first))).resolves.toBe('TEMPLATE_UNREADABLE');
    await rm(join(folder, 'swap', '.overworld-12ab.part'));
    expect(await contentOf(folder)).toEqual(SECOND);
    expect((await settled(folders, null)).revision).toBe(second);
  });

  it('is completed by the next master after a crash', async () => {
    const { where, folder, folders, first } = await twoContents();
    await folders.close();
    // Create the state of a master that was killed between two renames.
    await writeFile(join(where.revisions, 'lobby', 'restore.json'), JSON.stringify({ revision: first }));
    await mkdir(join(folder, '.overworld-restore.part'));
    await writeFile(join(folder, '.overworld-restore.part', '0'), 'half a fi');
    await rm(join(folder, 'swap'), { recursive: true });
    await writeFile(join(folder, 'changed.txt'), 'first');
    const next = await openTemplates(where);
    const seen: (string | null)[] = [];
    next.onChange(() => seen.push(next.state('lobby').revision));
    expect((await settled(next, null)).revision).toBe(first);
    expect(await contentOf(folder)).toEqual(FIRST);
    expect(seen.filter((revision) => revision !== null && revision !== first)).toEqual([]);
    expect(await readdir(join(where.revisions, 'lobby'))).not.toContain('restore.json');
  });

  it('keeps files that were added between a crash and the start of the next master', async () => {
    const { where, folder, folders, first, second } = await twoContents();
    await folders.close();
    await writeFile(join(where.revisions, 'lobby', 'restore.json'), JSON.stringify({ revision: first }));
    // The restore is interrupted after its first two renames. Then a person uploads files, before the next master
    // continues the restore.
    await writeFile(join(folder, 'changed.txt'), 'first');
    await writeFile(join(folder, 'gone.txt'), 'gone');
    await writeFile(join(folder, 'uploaded.jar'), 'a new plugin');
    await writeFile(join(folder, 'same.txt'), 'edited by hand');
    await writeFile(join(folder, 'swap', 'mine.txt'), 'mine');
    const next = await openTemplates(where);
    const mended = (await settled(next, null)).revision;
    expect([first, second]).not.toContain(mended);
    expect(await contentOf(folder)).toEqual({
      ...FIRST,
      'same.txt': '644 edited by hand',
      'uploaded.jar': '644 a new plugin',
      // This folder is at the path of a file of the requested revision.
      swap: 'folder',
      'swap/mine.txt': '644 mine',
    });
    expect(await readdir(join(where.revisions, 'lobby'))).not.toContain('restore.json');
  });

  it('keeps the oldest revision for the restore if changes of the folder become a revision meanwhile', async () => {
    const where = templatePlace();
    const folder = await writeTemplate(where, { 'file.txt': '1' });
    const folders = await openTemplates(where);
    const first = (await settled(folders)).revision;
    for (let number = 2, last = first; number <= 10; number += 1) {
      await writeFile(join(folder, 'file.txt'), String(number));
      last = (await settled(folders, last)).revision;
    }
    expect(await folders.revisions('lobby')).toHaveLength(10);
    await writeFile(join(folder, 'file.txt'), 'uploaded');
    await folders.restore('lobby', first ?? '');
    expect(await readFile(join(folder, 'file.txt'), 'utf8')).toBe('1');
  });

  it.runIf(canMount)('changes nothing if the disk is full', async () => {
    const disk = smallDisk(4);
    const where = { root: join(disk, 'templates'), revisions: join(disk, 'revisions') };
    const folder = await writeTemplate(where, { 'world.dat': 'x'.repeat(500_000) });
    const folders = await openTemplates(where);
    const { revision } = await settled(folders);
    await writeFile(join(folder, 'world.dat'), 'y'.repeat(500_000));
    const { revision: second } = await settled(folders, revision);
    const empty = await fillDisk(disk);
    await expect(codeOf(folders.restore('lobby', revision ?? ''))).resolves.toBe('DISK_FULL');
    expect(await contentOf(folder)).toEqual({ 'world.dat': `644 ${'y'.repeat(500_000)}` });
    await empty();
    await folders.restore('lobby', revision ?? '');
    expect((await settled(folders, second)).revision).toBe(revision);
  });
});

describe('the duplication of a template', () => {
  const duplicate = (folders: TemplateFolders) => folders.duplicate('lobby', 'arena');

  it('creates a template with the same content, and therefore with the same revision', async () => {
    const { where, folders, second } = await twoContents();
    await duplicate(folders);
    expect(await contentOf(join(where.root, 'arena'))).toEqual(SECOND);
    await waitFor(() => (folders.state('arena').revision === second ? true : null));
  });

  it('is refused if the new folder exists or the old folder cannot be read', async () => {
    const { where, folder, folders } = await twoContents();
    await mkdir(join(where.root, 'arena'));
    await writeFile(join(where.root, 'arena', 'mine'), 'mine');
    await expect(codeOf(duplicate(folders))).resolves.toBe('TEMPLATE_EXISTS');
    expect(await contentOf(join(where.root, 'arena'))).toEqual({ mine: '644 mine' });
    await rm(join(where.root, 'arena'), { recursive: true });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await waitFor(() => folders.state('lobby').problem);
    await expect(codeOf(duplicate(folders))).resolves.toBe('TEMPLATE_UNREADABLE');
    expect((await readdir(where.root)).sort()).toEqual(['lobby']);
  });
});
