import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyOpenFile, flushFile, FileTruncated } from '#master/templates/copy-file.ts';
import { copyIn } from '#master/templates/revisions/copy-in.ts';
import { openWithoutLinks } from '#master/templates/links.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a pipe, a socket and a link. An attacker can create such files in a folder in which people edit files. */
async function specialFiles() {
  const folder = temporaryFolder();
  const [file, pipe] = [join(folder, 'file'), join(folder, 'pipe')];
  const [socket, link] = [join(folder, 'socket'), join(folder, 'link')];
  await writeFile(file, 'content');
  execFileSync('mkfifo', [pipe]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  await symlink(file, link);
  return { file, pipe, socket, link };
}

describe.runIf(process.platform === 'linux')('a pipe, a socket or a link in place of a file', () => {
  it('is not opened as a file', async () => {
    const { pipe, socket, link } = await specialFiles();
    expect(await openWithoutLinks(pipe)).toBeNull();
    for (const path of [socket, link]) await expect(openWithoutLinks(path)).rejects.toThrow(/ELOOP|ENXIO/);
  });

  it('makes a flush of the file fail instead of blocking the flush', async () => {
    const { file, pipe, socket, link } = await specialFiles();
    await flushFile(file);
    for (const path of [pipe, socket, link]) await expect(flushFile(path)).rejects.toThrow();
  });
});

describe('the copy of a file to which other programs write', () => {
  it('has exactly the expected number of bytes if the file grows', async () => {
    const folder = temporaryFolder();
    const [path, copy] = [join(folder, 'file'), join(folder, 'copy')];
    await writeFile(path, 'expected and more');
    const file = await open(path);
    onTestFinished(() => file.close());
    const hash = await copyOpenFile({ file, path }, copy, { size: 8, mode: 0o644 });
    expect(await readFile(copy, 'utf8')).toBe('expected');
    expect(hash).toBe(createHash('sha256').update('expected').digest('hex'));
  });

  it('is not added to a revision if the file has grown since the scan', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'file'), 'expected and more');
    const seen = { path: 'file', source: 'file', size: 8, mode: 0o644 };
    await expect(copyIn(await realpath(folder), seen, join(folder, 'copy'))).rejects.toThrow('another size');
    expect(await readdir(folder)).toEqual(['file']);
  });

  it('fails, and does not wait, if the file becomes shorter', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    await writeFile(path, 'short');
    const file = await open(path);
    onTestFinished(() => file.close());
    const copied = copyOpenFile({ file, path }, join(folder, 'copy'), { size: 3_000_000, mode: 0o644 });
    await expect(copied).rejects.toThrow(FileTruncated);
  });

  it.runIf(canMount)('fails if the disk becomes full, even while the last bytes are written', async () => {
    const disk = smallDisk(1);
    const path = join(temporaryFolder(), 'file');
    await writeFile(path, Buffer.alloc(1_000_000));
    const file = await open(path);
    onTestFinished(() => file.close());
    await writeFile(join(disk, 'other'), Buffer.alloc(900_000));
    const copied = copyOpenFile({ file, path }, join(disk, 'copy'), { size: 1_000_000, mode: 0o644 });
    await expect(copied).rejects.toThrow('ENOSPC');
  });
});
