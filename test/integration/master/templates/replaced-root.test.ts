import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfigs } from '#master/templates/configs/read-configs.ts';
import { DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import { finishRestore } from '#master/templates/revisions/restore.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Opens templates, and then replaces their folder by a link to a similar folder. */
async function withReplacedFolder() {
  const where = templatePlace();
  await writeTemplate(where, { 'server.jar': 'harmless' });
  const folders = await openTemplates(where, { disks: noReserves() });
  await settled(folders);
  const outside = temporaryFolder();
  await mkdir(join(outside, 'lobby'));
  await writeFile(join(outside, 'lobby/server.jar'), 'SECRET');
  await rename(where.root, `${where.root}-aside`);
  await symlink(outside, where.root);
  return { where, folders, outside };
}

describe.runIf(process.platform === 'linux')(
  'the target of a link that replaces the folder of all templates',
  () => {
    it('does not become a revision, because the templates are unusable', async () => {
      const { where, folders } = await withReplacedFolder();
      // Make a change, which causes a scan even if it fails.
      await folders.put('lobby', []).catch(() => undefined);
      await waitFor(
        () => folders.state('lobby').problem?.includes('was replaced by a symbolic link') === true,
      );
      const kept = await readdir(where.revisions, { recursive: true });
      const jars = kept.filter((path) => path.endsWith('server.jar'));
      expect(jars).toHaveLength(1);
      for (const jar of jars) expect(await readFile(join(where.revisions, jar), 'utf8')).toBe('harmless');
    });

    it('provides no config file to services', async () => {
      const { where, outside } = await withReplacedFolder();
      await writeFile(join(outside, 'server.properties'), 'secret=1');
      const sourceOf = (path: string) => (path === 'server.properties' ? join(where.root, path) : null);
      await expect(readConfigs(sourceOf, { isProxy: false, forwarding: null })).rejects.toThrow(
        DefaultFileProblem,
      );
    });

    it('is not changed by the completion of an interrupted restore', async () => {
      const { where, outside } = await withReplacedFolder();
      const place = { root: join(where.root, 'lobby'), revisions: join(where.revisions, 'lobby') };
      const reserve = noReserves().of(outside);
      const store = await RevisionStore.open({
        ...{ folder: place.revisions, template: 'lobby', isUsed: () => true, reserve },
      });
      const newest = store.newest;
      if (newest === null) throw new Error('the template has no revision');
      await expect(finishRestore({ ...place, store }, newest)).rejects.toThrow('replaced by');
      expect(await readFile(join(outside, 'lobby/server.jar'), 'utf8')).toBe('SECRET');
      expect(await readdir(join(outside, 'lobby'))).toEqual(['server.jar']);
    });

    it('is not changed by requests of people', async () => {
      const { folders, outside } = await withReplacedFolder();
      const file = { name: 'server.jar', text: 'new' };
      await expect(folders.create('bedwars')).rejects.toMatchObject({ code: 'TEMPLATE_UNREADABLE' });
      await expect(folders.createWith('bedwars', [file])).rejects.toMatchObject({
        code: 'TEMPLATE_UNREADABLE',
      });
      await expect(folders.put('lobby', [file])).rejects.toMatchObject({ code: 'TEMPLATE_UNREADABLE' });
      await expect(folders.duplicate('lobby', 'bedwars')).rejects.toThrow();
      await expect(folders.remove('lobby')).rejects.toThrow();
      expect((await readdir(outside, { recursive: true })).sort()).toEqual(['lobby', 'lobby/server.jar']);
      expect(await readFile(join(outside, 'lobby/server.jar'), 'utf8')).toBe('SECRET');
    });
  },
);
