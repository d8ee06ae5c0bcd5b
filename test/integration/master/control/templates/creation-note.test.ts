import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { Creations } from '#master/control/templates/creations.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { CreationNote, undoUnfinishedCreation } from '#master/store/creation-note.ts';
import { openDataFolder } from '#master/store/data-folder.ts';
import { removeInside } from '#master/templates/pinned-folder.ts';
import { openTemplateFolders } from '#master/templates/template-folders.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const VALUES = templateConfigSchema.parse({});

const newTemplate = (id: string) => ({ id, config: VALUES, files: [{ name: 'server.jar', text: 'jar' }] });

/**
 * Creates the templates of a master after a failure: it could neither create `proxy` and `lobby`, nor remove the
 * folder of `proxy`.
 */
async function afterFailedCreation() {
  const folder = await openDataFolder(temporaryFolder());
  const config = await ConfigStore.open(folder.root, () => undefined);
  const templates = await openTemplateFolders({
    root: folder.templates,
    revisions: folder.revisions,
    quietMs: 50,
  });
  onTestFinished(async () => {
    config.close();
    await templates.close();
  });
  const overrides = await Overrides.open(join(folder.state, 'holds.json'));
  const creations = new Creations({ config, templates, overrides }, new CreationNote(folder.state));
  const full = new OverworldError('DISK_FULL', { path: folder.config });
  vi.spyOn(config, 'createTemplates').mockRejectedValueOnce(full);
  vi.spyOn(templates, 'remove').mockRejectedValueOnce(new Error('EBUSY'));
  await expect(creations.createAll([newTemplate('proxy'), newTemplate('lobby')])).rejects.toMatchObject({
    code: 'TEMPLATES_LEFT',
    details: { left: ['proxy'] },
  });
  expect(await readdir(folder.templates)).toEqual(['proxy']);
  return {
    creations,
    config,
    folders: () => readdir(folder.templates),
    note: join(folder.state, 'creating-templates.json'),
    deleteLeft: () => rm(join(folder.templates, 'proxy'), { recursive: true }),
    /** Removes the same templates as the next start of the master. Returns their ids. */
    nextStart: async () => {
      // The master has exited, so it no longer stores revisions of the folders.
      await templates.close();
      return undoUnfinishedCreation(folder, (id) => removeInside(folder.templates, id));
    },
  };
}

describe('after a failed creation of templates, which left a template folder behind,', () => {
  it('the next start of the master removes the leftover folder, but no template that was created later', async () => {
    const { creations, folders, nextStart } = await afterFailedCreation();
    await creations.create('lobby', VALUES);
    expect(await nextStart()).toEqual(['proxy']);
    expect(await folders()).toEqual(['lobby']);
  });

  it('the next start removes no templates that were created or duplicated with the same ids meanwhile', async () => {
    const { creations, folders, deleteLeft, nextStart } = await afterFailedCreation();
    await deleteLeft();
    await creations.create('lobby', VALUES);
    await creations.duplicate('lobby', 'proxy', true);
    expect(await nextStart()).toEqual([]);
    expect((await folders()).sort()).toEqual(['lobby', 'proxy']);
  });

  it('the next start removes no templates that a single call has created with the same ids meanwhile', async () => {
    const { creations, folders, deleteLeft, nextStart } = await afterFailedCreation();
    await deleteLeft();
    await creations.createAll([newTemplate('proxy'), newTemplate('lobby')]);
    expect(await nextStart()).toEqual([]);
    expect((await folders()).sort()).toEqual(['lobby', 'proxy']);
  });

  it('the next start removes the leftover folder, even if a single call has created other templates meanwhile', async () => {
    const { creations, folders, nextStart } = await afterFailedCreation();
    await creations.createAll([newTemplate('arena'), newTemplate('lobby')]);
    expect(await nextStart()).toEqual(['proxy']);
    expect((await folders()).sort()).toEqual(['arena', 'lobby']);
  });

  it('no new template can have the same id while the list of leftover folders cannot be changed', async () => {
    const { creations, config, note, deleteLeft, folders } = await afterFailedCreation();
    await deleteLeft();
    // The master does not write through a symbolic link.
    await writeFile(note, JSON.stringify({ templates: ['proxy', 'arena'] }));
    await rename(note, `${note}.moved`);
    await symlink(`${note}.moved`, note);
    const unsafe = { code: 'DATA_FOLDER_UNSAFE' };
    await expect(creations.create('proxy', VALUES)).rejects.toMatchObject(unsafe);
    await creations.create('lobby', VALUES);
    await expect(creations.duplicate('lobby', 'proxy', true)).rejects.toMatchObject(unsafe);
    expect([...config.templates.keys()]).toEqual(['lobby']);
    expect(await folders()).toEqual(['lobby']);
    expect(JSON.parse(await readFile(note, 'utf8'))).toEqual({ templates: ['proxy', 'arena'] });
  });
});
