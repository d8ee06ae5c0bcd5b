import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { makeNestedFolders } from '#test/support/files/deep-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../../support/files/remove-tree.ts', import.meta.url));

/** Maximum number of open files of the process. Node.js and its loader need about 40 open files. */
const OPEN_FILES = 100;

it.runIf(process.platform === 'linux')(
  'a folder with 3,000 nested folders is removed by a process that can open only 100 files',
  async () => {
    const top = temporaryFolder();
    const root = join(top, 'lobby');
    // If the test fails, Node.js cannot remove the folders either.
    onTestFinished(() => void execFileSync('rm', ['-rf', root]));
    await mkdir(root);
    await makeNestedFolders(root, 3_000);
    await writeFile(join(top, 'kept'), 'kept');
    for (const depth of [0, 1, 20, 500]) {
      const folder = join(root, ...Array.from({ length: depth }, () => 'n'));
      await writeFile(join(folder, 'a'), 'hello');
      await symlink(top, join(folder, 'link'));
      await mkdir(join(folder, 'z/empty'), { recursive: true });
    }
    const script = `ulimit -n ${OPEN_FILES} && exec "$@"`;
    await promisify(execFile)('sh', ['-c', script, 'sh', process.execPath, '--import', 'tsx', program, root]);
    expect(existsSync(root)).toBe(false);
    expect(existsSync(join(top, 'kept'))).toBe(true);
  },
);
