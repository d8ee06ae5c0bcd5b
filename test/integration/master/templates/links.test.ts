import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyIn } from '#master/templates/revisions/copy-in.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates a template with a Java runtime that contains links, as in the archives of vendors: licence files are links
 * to each other, and links give folders a second name.
 */
async function aTemplateWithJre() {
  const where = templatePlace();
  const folder = await writeTemplate(where, {
    'server.txt': 'server',
    'jre/bin/java': '#!/bin/sh\n',
    'jre/legal/java.base/LICENSE': 'licence',
    'jre/legal/java.base/COPYRIGHT': 'copyright',
  });
  await mkdir(join(folder, 'jre/legal/java.xml'));
  await symlink('../java.base/LICENSE', join(folder, 'jre/legal/java.xml/LICENSE'));
  await symlink('java.base', join(folder, 'jre/legal/java.logging'));
  return { where, folder };
}

describe('symbolic links in the folder of a template', () => {
  it('are copied to a service as the files to which they point', async () => {
    const { where } = await aTemplateWithJre();
    const folders = await openTemplates(where);
    const state = await settled(folders);
    expect(state).toMatchObject({ problem: null, files: 7, bringsJava: true });
    const service = join(temporaryFolder(), 'service');
    await folders.materialize('lobby', state.revision ?? '', service);
    for (const path of ['java.xml/LICENSE', 'java.logging/LICENSE', 'java.logging/COPYRIGHT']) {
      const copy = join(service, 'jre/legal', path);
      expect((await lstat(copy)).isFile(), path).toBe(true);
      expect(await readFile(copy, 'utf8')).toBe(path.endsWith('LICENSE') ? 'licence' : 'copyright');
    }
  });

  it('have the same revision as copies of their targets', async () => {
    const { where, folder } = await aTemplateWithJre();
    const folders = await openTemplates(where);
    const { revision } = await settled(folders);
    execFileSync('cp', ['-rL', join(folder, 'jre'), join(folder, 'copy')]);
    await rm(join(folder, 'jre'), { recursive: true });
    await rename(join(folder, 'copy'), join(folder, 'jre'));
    expect((await settled(folders)).revision).toBe(revision);
  });

  it('cause a new revision when the content of their target changes or they point elsewhere', async () => {
    const { where, folder } = await aTemplateWithJre();
    const folders = await openTemplates(where);
    const first = await settled(folders);
    await writeFile(join(folder, 'jre/legal/java.base/LICENSE'), 'another licence');
    const second = await settled(folders, first.revision);
    const link = join(folder, 'jre/legal/java.xml/LICENSE');
    await unlink(link);
    await symlink('../java.base/COPYRIGHT', link);
    const third = await settled(folders, second.revision);
    const changes = await folders.compare('lobby', {
      from: second.revision ?? '',
      to: third.revision ?? '',
    });
    expect(changes).toEqual({ added: [], removed: [], changed: ['jre/legal/java.xml/LICENSE'] });
  });

  it('are kept by a restore if the revision has the same content at their paths', async () => {
    const { where, folder } = await aTemplateWithJre();
    const folders = await openTemplates(where);
    const first = await settled(folders);
    await writeFile(join(folder, 'server.txt'), 'changed');
    await settled(folders, first.revision);
    await folders.restore('lobby', first.revision ?? '');
    expect((await settled(folders)).revision).toBe(first.revision);
    expect((await lstat(join(folder, 'jre/legal/java.logging'))).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['a folder', 'jre/legal/java.logging'],
    ['a file', 'jre/legal/java.xml/LICENSE'],
  ])('to %s are replaced by a restore if the revision has other content at the path', async (_what, path) => {
    const { where, folder } = await aTemplateWithJre();
    const folders = await openTemplates(where);
    const linked = await settled(folders);
    await unlink(join(folder, path));
    await writeFile(join(folder, path), 'a file of its own');
    const own = await settled(folders, linked.revision);

    await folders.restore('lobby', linked.revision ?? '');
    expect((await settled(folders)).revision).toBe(linked.revision);
    await rm(join(folder, path), { recursive: true });
    await symlink(path.endsWith('E') ? '../java.base/LICENSE' : 'java.base', join(folder, path));
    expect((await settled(folders)).revision).toBe(linked.revision);

    await folders.restore('lobby', own.revision ?? '');
    expect((await settled(folders)).revision).toBe(own.revision);
    expect(await readFile(join(folder, path), 'utf8')).toBe('a file of its own');
    // The file that the link pointed to is unchanged.
    expect(await readFile(join(folder, 'jre/legal/java.base/LICENSE'), 'utf8')).toBe('licence');
    expect(await readFile(join(folder, 'jre/legal/java.base/COPYRIGHT'), 'utf8')).toBe('copyright');
  });

  it('are replaced by files if a restore changes their target but must keep the content at their path', async () => {
    const { where, folder } = await aTemplateWithJre();
    const folders = await openTemplates(where);
    const path = 'jre/legal/java.xml/LICENSE';
    await unlink(join(folder, path));
    await writeFile(join(folder, path), 'second licence');
    const first = await settled(folders);
    await writeFile(join(folder, 'jre/legal/java.base/LICENSE'), 'second licence');
    await unlink(join(folder, path));
    await symlink('../java.base/LICENSE', join(folder, path));
    await settled(folders, first.revision);
    await folders.restore('lobby', first.revision ?? '');
    expect((await settled(folders)).revision).toBe(first.revision);
    expect(await readFile(join(folder, path), 'utf8')).toBe('second licence');
    expect(await readFile(join(folder, 'jre/legal/java.base/LICENSE'), 'utf8')).toBe('licence');
  });
});

describe('a file of a template that is replaced by a link after the template was read', () => {
  it.each([
    ['the file itself', 'sub/file'],
    ['a folder that contains the file', 'sub'],
  ])('is not copied if %s is a link that leads out of the template', async (_what, replaced) => {
    const folder = temporaryFolder();
    const [root, outside, to] = [join(folder, 'root'), join(folder, 'outside'), join(folder, 'copy')];
    await mkdir(join(root, 'sub'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(root, 'sub/file'), 'inside');
    await writeFile(join(outside, 'file'), 'secret');
    const seen = { path: 'sub/file', source: 'sub/file', size: 6, mode: 0o644 };
    await rm(join(root, replaced), { recursive: true });
    await symlink(replaced === 'sub' ? outside : join(outside, 'file'), join(root, replaced));
    await expect(copyIn(root, seen, to)).rejects.toThrow();
    await expect(lstat(to)).rejects.toThrow(/ENOENT/);
  });
});
