import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import { watchTree } from '#master/templates/watch-tree.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/**
 * Watches a new folder.
 *
 * @returns the folder, the reported paths, and a function that waits for a path
 */
function watched(ignored: (name: string) => boolean = () => false) {
  const root = temporaryFolder();
  const told: string[] = [];
  const newFolders: string[] = [];
  const touched = (path: string, isNewFolder: boolean): void => {
    told.push(path.slice(root.length + 1));
    if (isNewFolder) newFolders.push(path.slice(root.length + 1));
  };
  const failures: unknown[] = [];
  const options = { touched, failed: (error: unknown) => failures.push(error), ignored };
  const begin = async (): Promise<void> => {
    const watching = await watchTree(root, options);
    onTestFinished(() => watching.close());
  };
  const hears = async (path: string, change: () => Promise<unknown>): Promise<void> => {
    told.length = 0;
    await change();
    await waitFor(() => told.includes(path), { what: `a word of ${path}` });
  };
  return { root, told, newFolders, failures, begin, hears };
}

/** Returns the number of inotify watches of this process. */
function watches(): number {
  const infos = readdirSync('/proc/self/fdinfo').map((number) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${number}`, 'utf8');
    } catch {
      return '';
    }
  });
  return infos.join('\n').split('\ninotify ').length - 1;
}

describe('watchTree (watches a folder with all its subfolders)', () => {
  it('reports files that are created, changed or removed, and changed permissions', async () => {
    const { root, begin, hears, failures } = watched();
    await mkdir(join(root, 'a/b'), { recursive: true });
    await begin();
    const file = join(root, 'a/b/file');
    await hears('a/b/file', () => writeFile(file, '1'));
    await hears('a/b/file', () => writeFile(file, '2'));
    await hears('a/b/file', () => chmod(file, 0o755));
    await hears('a/b/file', () => rm(file));
    expect(failures).toEqual([]);
  });

  it('also watches new folders, and reports the files that they already contain', async () => {
    const { root, begin, told, newFolders } = watched();
    await begin();
    await mkdir(join(root, 'new/deep/deeper'), { recursive: true });
    const file = 'new/deep/deeper/file';
    // The deepest folder may not be watched yet, so write until a change is reported.
    await waitFor(async () => {
      await writeFile(join(root, file), 'x');
      return told.includes(file);
    });
    expect(newFolders).toContain('new');
  });

  it('continues with a folder that replaces a watched folder', async () => {
    const { root, begin, hears, failures } = watched();
    await mkdir(join(root, 'one/inside'), { recursive: true });
    await mkdir(join(root, 'two/inside'), { recursive: true });
    await begin();
    await hears('one', async () => {
      await rename(join(root, 'one'), join(root, 'old'));
      await rename(join(root, 'two'), join(root, 'one'));
    });
    await hears('old', () => chmod(join(root, 'old'), 0o700));
    await hears('one/inside/file', () => writeFile(join(root, 'one/inside/file'), 'x'));
    await hears('old/inside/file', () => writeFile(join(root, 'old/inside/file'), 'x'));
    expect(failures).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'reports changes for which the kernel had no room, and watches folders that were created then',
    async () => {
      const { root, begin, hears, told, failures } = watched();
      mkdirSync(join(root, 'full'));
      mkdirSync(join(root, 'other'));
      await begin();
      // Without a turn of the event loop, nothing reads the kernel's queue of 16,384 events.
      for (let at = 0; at < 9000; at += 1) writeFileSync(join(root, 'full', String(at)), 'x');
      writeFileSync(join(root, 'other/file'), 'x');
      mkdirSync(join(root, 'other/new'));
      await waitFor(() => told.includes('full/0'), { what: 'the first event' });
      expect(told).not.toContain('other/file');
      await waitFor(() => told.includes('other/new'), { what: 'the folder without an event' });
      expect(told).toContain('other');
      await hears('other/new/file', () => writeFile(join(root, 'other/new/file'), 'x'));
      expect(failures).toEqual([]);
    },
  );

  it('ignores links, excluded names, and everything in excluded folders', async () => {
    const elsewhere = temporaryFolder();
    const { root, begin, hears, told } = watched((name) => name.endsWith('.part'));
    await symlink(elsewhere, join(root, 'link'));
    await mkdir(join(root, 'up.part'));
    await begin();
    await hears('end', async () => {
      await writeFile(join(elsewhere, 'file'), 'x');
      await writeFile(join(root, 'up.part/file'), 'x');
      await writeFile(join(root, 'other.part'), 'x');
      await writeFile(join(root, 'end'), 'x');
    });
    expect(new Set(told)).toEqual(new Set(['end']));
  });

  it.runIf(process.platform === 'linux')(
    'needs one inotify watch per folder, for any number of files',
    async () => {
      const where = templatePlace();
      const files = Object.fromEntries(
        Array.from({ length: 300 }, (_, at) => [`config/${at}.yml`, String(at)]),
      );
      await writeTemplate(where, files);
      const before = watches();
      const folders = await openTemplates(where);
      expect((await settled(folders)).files).toBe(300);
      // One watch each for the root folder, the template, and the folder in the template.
      expect(watches() - before).toBe(3);
    },
  );

  it('notices a change in a folder of shared files that did not exist at the start', async () => {
    const folder = join(temporaryFolder(), 'files');
    const failures: unknown[] = [];
    const shared = new SharedFiles(folder, (error) => failures.push(error));
    onTestFinished(() => shared.close());
    const entries = [{ path: 'motd.txt', destination: 'motd.txt' }];
    await waitFor(async () => {
      await writeFile(join(folder, 'motd.txt'), 'one');
      return true;
    });
    const first = await waitFor(() => shared.fingerprint(entries));
    await writeFile(join(folder, 'motd.txt'), 'two');
    const second = await waitFor(() => {
      const now = shared.fingerprint(entries);
      return now !== null && now !== first ? now : null;
    });
    expect(second).not.toBe(first);
    expect(failures).toEqual([]);
  });
});
