import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { swapNames } from '#test/support/files/swap-names.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of duplicates that the master creates while an attacker swaps names. */
const ROUNDS = runs({ change: 20, night: 2_000 });

/** Name of the new folder while it is incomplete. */
const COMING = '.overworld-coming-bedwars';

describe.runIf(process.platform === 'linux')('a duplicate creates nothing outside of its folder', () => {
  it.each([
    { what: 'its new folder', swapped: COMING },
    { what: 'a folder in it', swapped: `${COMING}/plugins` },
  ])('while $what and a link swap their names', timeoutForRounds(ROUNDS), async ({ swapped }) => {
    const where = templatePlace();
    const names = Array.from({ length: 40 }, (_, index) => `plugins/${index}.yml`);
    await writeTemplate(where, Object.fromEntries(names.map((name) => [name, 'harmless'])));
    const folders = await openTemplates(where, { disks: noReserves() });
    await settled(folders);
    const [outside, link] = [temporaryFolder(), 'link.part'];
    await symlink(outside, join(where.root, link));
    await swapNames({ folder: where.root, names: [swapped, link], whileExists: join(where.root, swapped) });
    let interrupted = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await folders.duplicate('lobby', 'bedwars').catch(() => (interrupted += 1));
      for (const name of [COMING, 'bedwars', link]) await removeWhileSwapped(join(where.root, name));
      await symlink(outside, join(where.root, link));
    }
    expect(await readdir(outside, { recursive: true })).toEqual([]);
    expect(interrupted).toBeGreaterThan(0);
  });
});

/** Removes a folder or link, even if an attacker puts something else in its place during the removal. */
function removeWhileSwapped(path: string): Promise<true> {
  return waitFor(() =>
    removeTree(path).then(
      () => true as const,
      () => null,
    ),
  );
}
