import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { finishRestore, restoreFolder } from '#master/templates/revisions/restore.ts';
import { readRestoreNote } from '#master/templates/revisions/restore-note.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import { scanFolder } from '#master/templates/revisions/scan-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { runs } from '#test/support/fuzz/runs.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Rounds in which a restore, or a removal, did something while the attacker swapped names. */
const ROUNDS = runs({ change: 100, night: 100_000 });
const isLinux = process.platform === 'linux';

/** Swaps the names of a folder and of a link, atomically and at random times. The link has the name of an upload. */
const ATTACKER = `
import ctypes, random, sys, time
swap = ctypes.CDLL(None).renameat2
one, other = (f'{sys.argv[1]}/{name}'.encode() for name in ('plugins', 'link.part'))
print('swaps', flush=True)
while True:
    swap(-100, one, -100, other, 2)
    time.sleep(random.random() * 0.004)
`;

/** A template with a folder that an attacker swaps with a link, and the folder outside to which the link leads. */
async function attacked() {
  const top = temporaryFolder();
  const [root, revisions, outside] = [join(top, 'lobby'), join(top, 'revisions'), join(top, 'outside')];
  const fill = async (): Promise<void> => {
    await mkdir(join(root, 'plugins/deep'), { recursive: true });
    for (const name of ['a.yml', 'deep/b.yml']) await writeFile(join(root, 'plugins', name), 'harmless');
    await symlink(outside, join(root, 'link.part'));
  };
  await mkdir(join(outside, 'deep'), { recursive: true, mode: 0o700 });
  for (const name of ['a.yml', 'deep/b.yml', 'kept']) await writeFile(join(outside, name), 'SECRET');
  await fill();
  return {
    ...{ root, revisions, outside, fill },
    /** Starts to swap names until the end of the test. */
    attack: async (): Promise<void> => {
      const attacker = spawn('python3', ['-c', ATTACKER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void attacker.kill('SIGKILL'));
      await once(attacker.stdout, 'data');
    },
    untouched: async (): Promise<void> => {
      expect((await readdir(outside, { recursive: true })).sort()).toEqual([
        'a.yml',
        'deep',
        'deep/b.yml',
        'kept',
      ]);
      for (const name of ['a.yml', 'deep/b.yml', 'kept'])
        expect(await readFile(join(outside, name), 'utf8')).toBe('SECRET');
      expect((await stat(join(outside, 'deep'))).mode & 0o777).toBe(0o700);
    },
  };
}

it.runIf(isLinux)(
  'a restore changes nothing outside, and no revision has a file from there, while a folder and a link swap names',
  { timeout: 120_000 + ROUNDS * 200 },
  async () => {
    const { root, revisions, attack, untouched } = await attacked();
    const reserve = noReserves().of(root);
    const store = await RevisionStore.open({
      ...{ folder: revisions, template: 'lobby', isUsed: () => true, reserve },
    });
    /** Stores what is in the folder. Fails in rounds in which the attacker is faster. */
    const keep = async (): Promise<string | null> => {
      const scan = await scanFolder(root);
      const stored = scan.kind === 'ok' ? await store.store(root, scan.files) : null;
      return stored?.kind === 'stored' ? stored.record.revision : null;
    };
    const first = await store.record((await keep()) ?? '');
    await removeTree(join(root, 'plugins'));
    await mkdir(join(root, 'plugins/empty'), { recursive: true, mode: 0o755 });
    await writeFile(join(root, 'plugins/c.yml'), 'harmless');
    const second = await store.record((await keep()) ?? '');
    await attack();
    const place = { root, revisions, store, reserve };
    const outcomes = { restored: 0, refused: 0 };
    for (let round = 0; outcomes.restored + outcomes.refused < ROUNDS; round += 1) {
      const target = round % 2 === 0 ? first : second;
      await keep().catch(() => null);
      try {
        if ((await restoreFolder(place, target)) === null) outcomes.restored += 1;
      } catch {
        outcomes.refused += 1;
      }
      for (let note; (note = await readRestoreNote(revisions)) !== null;)
        await finishRestore(place, await store.record(note)).catch(() => undefined);
    }
    await untouched();
    expect(outcomes.restored).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
    for (const path of await readdir(revisions, { recursive: true }))
      if (path.endsWith('.yml')) expect(await readFile(join(revisions, path), 'utf8')).toBe('harmless');
  },
);

it.runIf(isLinux)(
  'the removal of a folder removes nothing outside while a folder and a link swap names',
  { timeout: 120_000 + ROUNDS * 50 },
  async () => {
    const { root, fill, attack, untouched } = await attacked();
    await attack();
    for (let round = 0; round < ROUNDS; round += 1) {
      while ((await readdir(root).catch(() => [])).length > 0) await removeTree(root).catch(() => undefined);
      await fill();
    }
    await untouched();
  },
);
