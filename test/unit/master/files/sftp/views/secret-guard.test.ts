import { existsSync, readFileSync } from 'node:fs';
import { lstat, mkdir, readFile, rename, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPiece } from '#master/admin/service-copies/read-piece.ts';
import { SecretGuard } from '#master/files/sftp/views/secret-guard.ts';
import { secretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const SECRET = '0123456789abcdefghijklmn';
const REMOVED = 'removed-by-overworld----';
const filter = secretFilter(SECRET);

/** Creates a folder with a config that contains the secret, and the guard of the folder. */
async function guarded() {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'config'));
  const config = join(folder, 'config', 'paper.yml');
  await writeFile(config, `secret: ${SECRET}\n`);
  return { folder, config, guard: new SecretGuard(filter) };
}

/** Gives other tasks the time of several system calls. */
async function letOthersRun(folder: string): Promise<void> {
  for (let call = 0; call < 100; call += 1) await lstat(folder);
}

it('replaces the secret in a file before the file is changed, and keeps the size and mode', async () => {
  const { config, guard } = await guarded();
  const before = await stat(config);
  const seen = await guard.change(config, () => readFile(config, 'utf8'));
  expect(seen).toBe(`secret: ${REMOVED}\n`);
  expect(await stat(config)).toMatchObject({ ino: before.ino, size: before.size, mode: before.mode });
});

it('leaves files that are larger than a config as they are', async () => {
  const { config, guard } = await guarded();
  const content = SECRET.padEnd(131_073, '.');
  await writeFile(config, content);
  expect(await guard.change(config, () => readFile(config, 'utf8'))).toBe(content);
});

it('changes a link, a missing file and a folder without reading them', async () => {
  const { folder, config, guard } = await guarded();
  const link = join(folder, 'link');
  await symlink(config, link);
  await guard.change(link, () => unlink(link));
  await guard.change(join(folder, 'new'), () => mkdir(join(folder, 'new')));
  await guard.change(join(folder, 'config'), () => rename(join(folder, 'config'), join(folder, 'new')));
  expect(await readFile(join(folder, 'new', 'paper.yml'), 'utf8')).toContain(SECRET);
});

it('moves no folder to a path while another change of this path is in progress', async () => {
  const { folder, guard } = await guarded();
  const [from, to] = [join(folder, 'config'), join(folder, 'moved')];
  let moving = Promise.resolve();
  await guard.change(join(to, 'paper.yml'), async () => {
    moving = guard.change(from, () => rename(from, to));
    await letOthersRun(folder);
    expect(existsSync(to)).toBe(false);
  });
  await moving;
  expect(existsSync(to)).toBe(true);
});

it('replaces no secret while a client reads a piece that contains a part of the secret', async () => {
  const { folder, config, guard } = await guarded();
  let changing: Promise<void> | undefined;
  const source = {
    read: async (_path: string, { from, length }: { readonly from: number; readonly length: number }) => {
      const all = readFileSync(config);
      changing ??= guard.change(config, () => Promise.resolve());
      await letOthersRun(folder);
      return { content: all.subarray(from, from + length), bytes: all.length, changedAt: 0 };
    },
  };
  const piece = { source, path: 'config/paper.yml', from: 0, length: 20 };
  const { content } = await guard.read(() => readPiece(piece, filter));
  await changing;
  expect(content.toString()).toBe(`secret: ${REMOVED.slice(0, 12)}`);
  expect(readFileSync(config, 'utf8')).toBe(`secret: ${REMOVED}\n`);
});
