import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flushFile } from '#master/templates/copy-file.ts';
import { openWithoutLinks } from '#master/templates/links.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a pipe, a socket and a link, as an attacker can in a folder in which people edit files. */
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
    for (const path of [pipe, socket, link]) expect(await openWithoutLinks(path)).toBeNull();
  });

  it('makes a flush of the file fail instead of blocking the flush', async () => {
    const { file, pipe, socket, link } = await specialFiles();
    await flushFile(file);
    for (const path of [pipe, socket, link]) await expect(flushFile(path)).rejects.toThrow();
  });
});
