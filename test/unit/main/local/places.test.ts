import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeSchema } from '#shared/ipc/contract.ts';
import { LocalPlaces } from '#main/local/places.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a home folder with a desktop, and a folder beside it that is not a place. */
async function setUp() {
  const root = temporaryFolder();
  const home = join(root, 'home');
  const outside = join(root, 'home2');
  await mkdir(join(home, 'Desktop'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 's');
  await writeFile(join(home, 'a.txt'), 'a');
  let added: string[] = [];
  const places = new LocalPlaces({
    usual: [
      { name: 'Home', path: home },
      { name: 'Desktop', path: join(home, 'Desktop') },
      { name: 'Music', path: join(home, 'Music') },
      { name: 'Again', path: `${home}/` },
    ],
    closed: [join(home, '.config', 'overworld'), join(home, '.ssh')],
    added: () => added,
    saveAdded: (paths) => {
      added = paths;
      return Promise.resolve();
    },
  });
  return { root, home, outside, places };
}

describe('the folders of this computer that the window may access', () => {
  it('are listed once each, and only if they exist', async () => {
    const { home, places } = await setUp();
    expect((await places.list()).map((place) => placeSchema.parse(place))).toEqual([
      { name: 'Home', path: home, added: false },
      { name: 'Desktop', path: join(home, 'Desktop'), added: false },
    ]);
  });

  it('can be added and removed by the user', async () => {
    const { outside, home, places } = await setUp();
    expect(await places.add(home)).toEqual({ name: 'Home', path: home, added: false });
    await places.add(`${outside}/`);
    expect((await places.list()).at(-1)).toEqual({ name: 'home2', path: outside, added: true });
    expect(await places.require(join(outside, 'secret'))).toBe(join(outside, 'secret'));
    await places.remove(outside);
    await expect(places.require(join(outside, 'secret'))).rejects.toMatchObject({ code: 'PLACE_FORBIDDEN' });
    await places.remove(outside);
    expect(await places.list()).toHaveLength(2);
  });

  it('give no access to a path outside of them, however the path is written', async () => {
    const { root, home, outside, places } = await setUp();
    const paths = [
      root,
      outside,
      '/etc/passwd',
      `${home}/../home2/secret`,
      `${home}/Desktop/../../home2`,
      'a.txt',
      '../home2',
      `${home}/a\0.txt`,
      '~',
    ];
    for (const path of paths) {
      await expect(places.require(path), path).rejects.toMatchObject({ code: 'PLACE_FORBIDDEN' });
      await expect(places.requireEntry(path), path).rejects.toMatchObject({ code: 'PLACE_FORBIDDEN' });
    }
  });

  it('give access to a link only if its target is inside one of them', async () => {
    const { home, outside, places } = await setUp();
    await symlink(join(home, 'a.txt'), join(home, 'Desktop', 'inside'));
    await symlink(outside, join(home, 'out'));
    await symlink(join(outside, 'secret'), join(home, 'secret'));
    await symlink('/nowhere', join(home, 'dangling'));
    expect(await places.require(join(home, 'Desktop', 'inside'))).toBe(join(home, 'a.txt'));
    for (const name of ['out', 'secret', 'out/secret']) {
      await expect(places.require(join(home, name)), name).rejects.toMatchObject({ code: 'PLACE_FORBIDDEN' });
    }
    await expect(places.require(join(home, 'dangling'))).rejects.toMatchObject({
      code: 'LOCAL_FILE_UNREADABLE',
    });
    // The link itself may be renamed or deleted, but no file may be created in its target.
    expect(await places.requireEntry(join(home, 'out'))).toBe(join(home, 'out'));
    await expect(places.requireEntry(join(home, 'out', 'new'))).rejects.toMatchObject({
      code: 'PLACE_FORBIDDEN',
    });
  });

  it('cannot be renamed, but the files in them can', async () => {
    const { home, places } = await setUp();
    await expect(places.requireEntry(home)).rejects.toMatchObject({ code: 'PLACE_FORBIDDEN' });
    expect(await places.requireEntry(join(home, 'new'))).toBe(join(home, 'new'));
  });

  it('give no access to private folders such as .ssh, and a folder that contains one cannot be changed', async () => {
    const { home, places } = await setUp();
    const own = join(home, '.config', 'overworld');
    await mkdir(join(own, 'transfers'), { recursive: true });
    await writeFile(join(own, 'app-key.json'), 'k');
    await symlink(own, join(home, 'Desktop', 'shortcut'));
    const refused = { code: 'FILE_FORBIDDEN' };
    const inside = [
      own,
      join(own, 'app-key.json'),
      join(own, 'transfers'),
      join(home, 'Desktop', 'shortcut'),
    ];
    for (const path of inside) await expect(places.require(path), path).rejects.toMatchObject(refused);
    for (const path of [own, join(own, 'new'), join(home, '.config'), join(home, '.ssh')]) {
      await expect(places.requireEntry(path), path).rejects.toMatchObject(refused);
    }
    for (const path of [home, join(home, '.config'), own]) {
      await expect(places.requireWhole(path), path).rejects.toMatchObject(refused);
    }
    for (const [folder, name] of [
      [home, '.ssh'],
      [home, '.config'],
      [join(home, '.config'), 'overworld'],
      [own, 'settings.json'],
    ] as const) {
      await expect(places.requireTarget(folder, ['fine', name]), name).rejects.toMatchObject(refused);
    }
    expect(await places.requireTarget(home, ['world', 'overworld'])).toBe(home);
    expect(await places.require(join(home, '.config'))).toBe(join(home, '.config'));
    expect(await places.requireWhole(join(home, 'Desktop'))).toBe(join(home, 'Desktop'));
  });

  it('have a parent folder only if the window may access the parent folder', async () => {
    const { home, places } = await setUp();
    expect(await places.parentOf(join(home, 'Desktop'))).toBe(home);
    expect(await places.parentOf(home)).toBeNull();
  });
});
