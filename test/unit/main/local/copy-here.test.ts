import { mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyHere } from '#main/local/copy-here.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

async function setUp() {
  const root = temporaryFolder();
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  await mkdir(join(from, 'world', 'region'), { recursive: true });
  await mkdir(to);
  await writeFile(join(from, 'world', 'region', 'r.mca'), 'blocks');
  await writeFile(join(from, 'server.jar'), 'jar');
  await symlink('region/r.mca', join(from, 'world', 'link'));
  await utimes(join(from, 'server.jar'), 1_650_000_000, 1_650_000_000);
  return { from, to };
}

describe('copying within this computer', () => {
  it('takes all that is in a folder, with times, and links as links', async () => {
    const { from, to } = await setUp();
    await copyHere([join(from, 'world'), join(from, 'server.jar')], to);
    expect(await readFile(join(to, 'world', 'region', 'r.mca'), 'utf8')).toBe('blocks');
    expect(await readlink(join(to, 'world', 'link'))).toBe('region/r.mca');
    expect((await stat(join(to, 'server.jar'))).mtimeMs).toBe(1_650_000_000_000);
    expect(await readFile(join(from, 'server.jar'), 'utf8'), 'the source stays').toBe('jar');
  });

  it('replaces nothing: a taken name is kept beside, also in its own folder', async () => {
    const { from, to } = await setUp();
    await writeFile(join(to, 'server.jar'), 'another');
    await copyHere([join(from, 'server.jar')], to);
    await copyHere([join(from, 'server.jar')], from);
    expect(await readFile(join(to, 'server.jar'), 'utf8')).toBe('another');
    expect(await readFile(join(to, 'server (2).jar'), 'utf8')).toBe('jar');
    expect((await readdir(from)).sort()).toEqual(['server (2).jar', 'server.jar', 'world']);
  });

  it('refuses to copy a folder into itself, and copies nothing then', async () => {
    const { from } = await setUp();
    for (const folder of [join(from, 'world'), join(from, 'world', 'region')]) {
      await expect(copyHere([join(from, 'server.jar'), join(from, 'world')], folder)).rejects.toMatchObject({
        code: 'FILE_FORBIDDEN',
      });
    }
    expect((await readdir(join(from, 'world'))).sort()).toEqual(['link', 'region']);
  });

  it('names what is missing', async () => {
    const { from, to } = await setUp();
    await expect(copyHere([join(from, 'gone')], to)).rejects.toMatchObject({ code: 'LOCAL_FILE_UNREADABLE' });
  });
});
