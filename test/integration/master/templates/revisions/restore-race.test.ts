import { existsSync, renameSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { copyIn } from '#master/templates/revisions/copy-in.ts';
import { finishRestore, restoreFolder } from '#master/templates/revisions/restore.ts';
import { readRestoreNote, RESTORE_NOTE } from '#master/templates/revisions/restore-note.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import { scanFolder } from '#master/templates/revisions/scan-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { swapNames } from '#test/support/files/swap-names.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of rounds in which the master changes, stores or removes files while an attacker swaps names. */
const ROUNDS = runs({ change: 10, night: 2_000 });
/** Number of files that the master copies while an attacker swaps names. It is higher, because a copy is fast. */
const COPIES = runs({ change: 100, night: 100_000 });
const timeout = timeoutForRounds(10 * ROUNDS);
const isLinux = process.platform === 'linux';

/**
 * Creates a template with a folder that an attacker swaps with a link, and the folder outside to which the link
 * leads.
 */
async function attacked() {
  const top = temporaryFolder();
  const [root, revisions, outside] = [join(top, 'lobby'), join(top, 'revisions'), join(top, 'outside')];
  /** Creates the template's files. The link has the name of an incomplete upload, so scans ignore it. */
  const fill = async (): Promise<void> => {
    await mkdir(join(root, 'plugins/deep'), { recursive: true });
    for (const name of ['a.yml', 'deep/b.yml']) await writeFile(join(root, 'plugins', name), 'harmless');
    await symlink(outside, join(root, 'link.part'));
  };
  await mkdir(join(outside, 'deep'), { recursive: true, mode: 0o700 });
  for (const name of ['a.yml', 'deep/b.yml', 'kept']) await writeFile(join(outside, name), 'SECRET');
  await fill();
  const reserve = noReserves().of(root);
  const store = await RevisionStore.open({
    ...{ folder: revisions, template: 'lobby', isUsed: () => true, reserve },
  });
  return {
    ...{ fill, place: { root, revisions, store, reserve } },
    /** Stores the folder's content as a revision, once the folder no longer changes. */
    keep: () =>
      waitFor(async () => {
        const scan = await scanFolder(root, { isReal: true });
        const stored = scan.kind === 'ok' ? await store.store(root, scan.files) : null;
        return stored?.kind === 'stored' ? stored.record : null;
      }),
    /** Swaps names while this file exists, until the end of the test. */
    attackWhile: (file: string) =>
      swapNames({ folder: root, names: ['plugins', 'link.part'], whileExists: file }),
    /** Swaps the template's folder and a link to the folder outside until the end of the test. */
    attackRoot: async (): Promise<void> => {
      await symlink(outside, join(top, 'link'));
      await mkdir(join(outside, 'plugins/deep'), { recursive: true, mode: 0o700 });
      for (const name of ['a.yml', 'deep/b.yml']) await writeFile(join(outside, 'plugins', name), 'SECRET');
      await swapNames({ folder: top, names: ['lobby', 'link'] });
    },
    untouched: async (): Promise<void> => {
      const names = ['a.yml', 'deep', 'deep/b.yml', 'kept'];
      expect((await readdir(outside, { recursive: true })).sort()).toEqual(names);
      for (const name of ['a.yml', 'deep/b.yml', 'kept'])
        expect(await readFile(join(outside, name), 'utf8')).toBe('SECRET');
      expect((await stat(join(outside, 'deep'))).mode & 0o777).toBe(0o700);
    },
  };
}

it.runIf(isLinux)(
  'a restore changes nothing outside of the template while a folder and a link swap their names',
  timeout,
  async () => {
    const { place, keep, attackWhile, untouched } = await attacked();
    const { root, revisions, store } = place;
    const first = await keep();
    await rm(join(root, 'plugins'), { recursive: true });
    await mkdir(join(root, 'plugins/deep'), { recursive: true, mode: 0o755 });
    await writeFile(join(root, 'plugins/c.yml'), 'harmless');
    const second = await keep();
    // Attack while the restore note exists. The master writes the note after its last check of the folder, and before
    // the first change.
    await attackWhile(join(revisions, RESTORE_NOTE));
    const outcomes = { restored: 0, interrupted: 0 };
    let target = first;
    while (outcomes.restored + outcomes.interrupted < ROUNDS) {
      const notBegun = await restoreFolder(place, target).catch(() => 'interrupted' as const);
      if (notBegun === null) outcomes.restored += 1;
      else if (notBegun === 'interrupted') outcomes.interrupted += 1;
      await waitFor(async () => {
        const note = await readRestoreNote(revisions);
        if (note !== null) await finishRestore(place, await store.record(note));
        return true;
      });
      // Without a note, the attacker swaps no names.
      target = (await keep()).revision === first.revision ? second : first;
    }
    await untouched();
    expect(outcomes.interrupted).toBeGreaterThan(0);
  },
);

it.runIf(isLinux)(
  'a revision contains no file from outside of the template while a folder and a link swap their names',
  timeoutForRounds(COPIES),
  async () => {
    const { place, attackWhile } = await attacked();
    const root = await realpath(place.root);
    await attackWhile(root);
    const file = { path: 'plugins/a.yml', source: 'plugins/a.yml', size: 8, mode: 0o600 };
    const to = join(place.revisions, 'copy');
    for (let copied = 0, refused = 0; copied < COPIES || refused < COPIES / 10;) {
      const hash = await copyIn(root, file, to).catch(() => null);
      if (hash === null) refused += 1;
      else {
        copied += 1;
        expect(await readFile(to, 'utf8')).toBe('harmless');
      }
      await rm(to, { force: true });
    }
  },
);

it.runIf(isLinux)(
  'the removal of a folder removes nothing outside of it while a folder and a link swap their names',
  timeout,
  async () => {
    const { place, fill, attackWhile, untouched } = await attacked();
    const { root } = place;
    await attackWhile(root);
    for (let round = 0; round < 5 * ROUNDS; round += 1) {
      while ((await readdir(root).catch(() => [])).length > 0) await removeTree(root).catch(() => undefined);
      await fill();
    }
    // The attack continued until the end.
    expect((await readdir(root)).sort()).toEqual(['link.part', 'plugins']);
    await untouched();
  },
);

it.runIf(isLinux)(
  'revisions and restores use no file outside of the template while its folder and a link swap their names',
  timeout,
  async () => {
    const { place, keep, attackRoot } = await attacked();
    const { root, revisions, store } = place;
    const outside = join(root, '../outside');
    const first = await keep();
    const folder = await open(root);
    onTestFinished(() => folder.close());
    await attackRoot();
    const before = await contentOf(outside);
    for (let round = 0; round < ROUNDS; round += 1) {
      await writeFile(`/proc/self/fd/${folder.fd}/plugins/a.yml`, `harmless ${round}`);
      const scan = await scanFolder(root, { isReal: true });
      if (scan.kind === 'ok') await store.store(root, scan.files).catch(() => undefined);
      await restoreFolder(place, first).catch(() => undefined);
      const note = await readRestoreNote(revisions);
      if (note !== null) await finishRestore(place, await store.record(note)).catch(() => undefined);
    }
    expect(await contentOf(outside)).toEqual(before);
    for (const [path, content] of await contentOf(revisions)) {
      if (path.endsWith('a.yml')) expect(content).toContain('harmless');
    }
  },
);

it.runIf(isLinux)(
  'a revision contains no file from outside of the template if a link replaces the folder only during the copy',
  async () => {
    const top = temporaryFolder();
    const [root, aside, outside] = [join(top, 'lobby'), join(top, 'aside'), join(top, 'outside')];
    for (const [folder, content] of [
      [root, 'harmless'],
      [outside, 'SECRET!!'],
    ] as const) {
      await mkdir(folder);
      await writeFile(join(folder, 'a.yml'), content);
    }
    let isLink = false;
    const exchange = (): void => {
      if (isLink) rmSync(root);
      renameSync(isLink ? aside : root, isLink ? root : aside);
      isLink = !isLink;
      if (isLink) symlinkSync(outside, root);
    };
    // The attacker exchanges the folder after the scan, and exchanges it back after the copy of the file.
    const reserve = {
      require: exchange,
      requireEntry: () => undefined,
      use: <T>(_bytes: number, work: () => Promise<T>) => work().finally(exchange),
    };
    const revisions = join(top, 'revisions');
    const store = await RevisionStore.open({
      ...{ folder: revisions, template: 'lobby', isUsed: () => true, reserve: reserve as never },
    });
    const stored = await waitFor(async () => {
      const scan = await scanFolder(root, { isReal: true });
      if (scan.kind !== 'ok') throw new Error(scan.problem);
      const result = await store.store(root, scan.files).catch(() => 'refused' as const);
      return result === 'refused' || result.kind === 'stored' ? result : null;
    });
    expect(stored).toBe('refused');
    expect(await contentOf(revisions)).toEqual([]);
  },
);

/**
 * Creates a template with two revisions. To restore the first one, the file `z-added` is added, `z-replaced` is
 * replaced and `z-removed` is removed, after many other files.
 */
async function twoRevisions() {
  const { place, keep } = await attacked();
  const { root } = place;
  const names = Array.from({ length: 50 }, (_, index) => `${index}.yml`);
  for (const name of [...names, 'z-added', 'z-replaced']) await writeFile(join(root, name), 'first');
  const first = await keep();
  await rm(join(root, 'z-added'));
  for (const name of [...names.flatMap((name) => [name, `new-${name}`]), 'z-removed', 'z-replaced'])
    await writeFile(join(root, name), 'second');
  await keep();
  return { place, keep, first };
}

/** Writes a file as soon as the file or folder `event` appears. Resolves when the file is written. */
function uploadWhen(event: string, path: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(event), () => {
      if (!existsSync(event)) return;
      watcher.close();
      writeFileSync(path, 'uploaded');
      resolve();
    });
  });
}

it.each(['added', 'removed', 'replaced'])(
  'a running restore keeps what is uploaded to the path of a file that will be %s',
  async (step) => {
    const { place, keep, first } = await twoRevisions();
    const { root, revisions, store } = place;
    const path = join(root, `z-${step}`);
    // The master writes the note after its last check of the folder, and before the first change.
    const uploaded = uploadWhen(join(revisions, RESTORE_NOTE), path);
    const notBegun = await restoreFolder(place, first);
    await uploaded;
    expect(await readFile(path, 'utf8')).toBe('uploaded');
    expect(notBegun).toEqual({ kind: 'changed' });
    expect(await readFile(join(root, '0.yml'), 'utf8')).toBe('second');
    expect(await readRestoreNote(revisions)).toBeNull();
    const { revision } = await keep();
    expect(await restoreFolder(place, first)).toBeNull();
    expect(await readFile(join(store.pathOf(revision), `z-${step}`), 'utf8')).toBe('uploaded');
  },
);

it('the completion of an interrupted restore keeps what is uploaded meanwhile', async () => {
  const { place, first } = await twoRevisions();
  const { root } = place;
  // The master creates this folder after it has scanned the template.
  const uploaded = uploadWhen(join(root, '.overworld-restore.part'), join(root, 'z-replaced'));
  await finishRestore(place, first);
  await uploaded;
  expect(await readFile(join(root, 'z-replaced'), 'utf8')).toBe('uploaded');
  expect(await readFile(join(root, '0.yml'), 'utf8')).toBe('first');
});

it('a restore removes and replaces several hard links of one file', async () => {
  const { place, keep } = await attacked();
  const { root } = place;
  const names = ['a', 'b', 'c', 'd'];
  for (const name of ['a', 'b']) await writeFile(join(root, name), 'first');
  const first = await keep();
  for (const name of ['a', 'b']) await rm(join(root, name));
  await writeFile(join(root, 'a'), 'second');
  for (const name of names.slice(1)) await link(join(root, 'a'), join(root, name));
  await keep();
  expect(await restoreFolder(place, first)).toBeNull();
  expect((await readdir(root)).filter((name) => names.includes(name)).sort()).toEqual(['a', 'b']);
  for (const name of ['a', 'b']) expect(await readFile(join(root, name), 'utf8')).toBe('first');
});

/** Returns the paths of all files below a folder with their contents. */
async function contentOf(folder: string): Promise<[string, string][]> {
  const paths = (await readdir(folder, { recursive: true })).sort();
  const contents = paths.map((path) => readFile(join(folder, path), 'utf8').catch(() => 'a folder'));
  return (await Promise.all(contents)).map((content, index) => [paths[index] ?? '', content]);
}
