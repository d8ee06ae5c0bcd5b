import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeHalfWritten } from '#master/store/half-written.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { dropRights } from '#test/support/drop-rights.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Program that endlessly replaces a large file, with the same library as the store. */
const WRITER = `
  import writeFileAtomic from 'write-file-atomic';
  const content = 'x'.repeat(32 * 1024 * 1024);
  for (;;) await writeFileAtomic(process.argv[1], content, { mode: 0o600, fsync: true });
`;

it('removeHalfWritten removes only the temporary file of a process that was killed', async () => {
  const state = temporaryFolder();
  const file = join(state, 'last-good', 'nodes.json');
  await writeDurably(file, '{}');
  await mkdir(join(state, 'folder.json.12'));
  await writeFile(join(state, 'activity.jsonl'), '');
  await writeFile(join(state, 'notes.2026'), 'mine');

  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, file], { stdio: 'ignore' });
  onTestFinished(() => void writer.kill('SIGKILL'));
  const ended = once(writer, 'exit');
  await waitFor(async () => (await readdir(join(state, 'last-good'))).length > 1, {
    what: 'a half-written file',
  });
  writer.kill('SIGKILL');
  await ended;
  // The writer may have completed its rename just before the kill. In this case, no leftover exists, and the complete
  // file must stay.
  const left = (await readdir(join(state, 'last-good'))).filter((name) => name !== 'nodes.json');
  const whole = await readFile(file);

  const removed = await removeHalfWritten(state);
  expect(removed).toEqual(left.map((name) => join(state, 'last-good', name)));
  expect(await readdir(join(state, 'last-good'))).toEqual(['nodes.json']);
  expect((await readFile(file)).equals(whole)).toBe(true);
  expect((await readdir(state)).sort()).toEqual([
    'activity.jsonl',
    'folder.json.12',
    'last-good',
    'notes.2026',
  ]);
  expect(await removeHalfWritten(state)).toEqual([]);
});

it.skipIf(process.platform === 'win32')(
  'removeHalfWritten leaves out lost+found of a disk that is mounted at the folder, which only root can read',
  async () => {
    dropRights();
    const state = temporaryFolder();
    await mkdir(join(state, 'lost+found'));
    await chmod(join(state, 'lost+found'), 0);
    await writeFile(join(state, 'holds.json.123'), '{');
    expect(await removeHalfWritten(state)).toEqual([join(state, 'holds.json.123')]);
  },
);
