import { existsSync } from 'node:fs';
import fs, { mkdir, rename, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { makeNestedFolders } from '#test/support/files/deep-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Calls a function before each removal of an empty folder in this process, until the end of the test. */
function beforeEachRmdir(call: () => Promise<void>): void {
  const { rmdir } = fs;
  const replace = (by: typeof rmdir): void => {
    fs.rmdir = by;
    syncBuiltinESMExports();
  };
  replace(async (...options) => {
    await call();
    await rmdir(...options);
  });
  onTestFinished(() => {
    replace(rmdir);
  });
}

const nested = (levels: number): string => Array.from({ length: levels }, () => 'n').join('/');

it.runIf(process.platform === 'linux').each([
  ['stops at a folder that an attacker moves meanwhile', 20, /was moved/],
  ['continues in a folder that it still has open when an attacker moves it', 38, /^removed$/],
])('the removal of 40 nested folders %s, and removes no files outside', async (_, moved, expected) => {
  const top = temporaryFolder();
  const [root, outside] = [join(top, 'lobby'), join(top, 'outside')];
  await mkdir(root);
  await makeNestedFolders(root, 40);
  await mkdir(outside);
  for (const folder of [join(root, nested(moved - 1)), outside])
    for (const name of ['a', 'b', 'm', 'o', 'z']) await writeFile(join(folder, name), 'hello');
  let isMoved = false;
  beforeEachRmdir(async () => {
    if (isMoved) return;
    isMoved = true;
    await rename(join(root, nested(moved)), join(outside, 'n'));
  });
  expect(await removeTree(root).then(() => 'removed', String)).toMatch(expected);
  expect(isMoved).toBe(true);
  for (const name of ['a', 'b', 'm', 'o', 'z']) expect(existsSync(join(outside, name))).toBe(true);
  expect(existsSync(root)).toBe(moved === 20);
});
