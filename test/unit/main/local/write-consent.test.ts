import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WriteConsent } from '#main/local/write-consent.ts';
import { writeReason } from '#main/local/write-reasons.ts';
import type { DialogQuestion } from '#main/window/ask.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a home folder with downloads, and a network's folder that the person has added. */
async function setUp() {
  const home = join(temporaryFolder(), 'me');
  const [downloads, network] = [join(home, 'Downloads'), join(home, '.games', 'network')];
  for (const folder of [downloads, network, join(home, 'Documents')])
    await mkdir(folder, { recursive: true });
  const asked: DialogQuestion[] = [];
  const person = { confirmed: false, remember: false };
  const consent = new WriteConsent({
    home,
    free: () => [downloads, network],
    places: () => Promise.resolve([home]),
    ask: (question) => {
      asked.push(question);
      return Promise.resolve({ ...person });
    },
  });
  return { home, downloads, network, asked, person, consent };
}

describe('writeReason (why the app asks before it writes to a path)', () => {
  const roots = { free: ['/home/me/Downloads', '/home/me/.games/network'], places: ['/home/me'] };
  it.each([
    ['/home/me/Downloads/server.jar', null],
    ['/home/me/Downloads/world/region/r.0.0.mca', null],
    // The hidden name `.games` does not matter, because it is part of a folder path that the person has added.
    ['/home/me/.games/network/lobby/server.jar', null],
    ['/home/me/.games/network/.git/hooks/post-checkout', 'hidden'],
    ['/home/me/Downloads/.bashrc', 'hidden'],
    ['/home/me/.bashrc', 'hidden'],
    ['/home/me/.config/autostart/x.desktop', 'hidden'],
    // `networks` is not the added folder `network`.
    ['/home/me/.games/networks', 'hidden'],
    ['/home/me/Documents/a.txt', 'elsewhere'],
    ['/home/me/Downloads2/a.txt', 'elsewhere'],
    ['/home/me', 'elsewhere'],
    ['/srv/.hidden/a', 'hidden'],
  ] as const)('returns for %s: %s', (path, reason) => expect(writeReason(path, roots)).toBe(reason));
});

describe('WriteConsent (asks the user before the app writes files)', () => {
  it('does not ask for downloads and for folders that the user has added', async () => {
    const { consent, downloads, network, asked } = await setUp();
    expect(await consent.mayFill({ folder: downloads, names: ['server.jar', 'world'] })).toBe(true);
    expect(await consent.mayFill({ folder: join(network, 'lobby'), names: ['plugins/a.jar'] })).toBe(true);
    expect(asked).toEqual([]);
  });

  it('asks for any other folder, and remembers the consent on request', async () => {
    const { consent, home, person, asked } = await setUp();
    const documents = join(home, 'Documents');
    expect(await consent.mayFill({ folder: documents, names: ['a.txt'] })).toBe(false);
    expect(asked[0]).toMatchObject({ message: `Write a.txt to ${documents}?`, confirm: 'Allow' });
    person.confirmed = true;
    expect(await consent.mayFill({ folder: documents, names: ['a.txt', 'b.txt'] })).toBe(true);
    expect(asked[1]?.message).toBe(`Write 2 entries to ${documents}?`);
    person.remember = true;
    await consent.mayFill({ folder: documents, names: ['a.txt'] });
    person.confirmed = false;
    expect(asked).toHaveLength(3);
    expect(await consent.mayFill({ folder: join(documents, 'deep'), names: ['b.txt'] })).toBe(true);
    expect(asked, 'it is not asked again').toHaveLength(3);
    expect(await consent.mayFill({ folder: documents, names: ['.profile'] }), 'hidden ones are').toBe(false);
    expect(asked).toHaveLength(4);
  });

  it('asks for each hidden target, even in added folders, and makes invisible characters in its name visible', async () => {
    const { consent, home, downloads, asked, person } = await setUp();
    expect(await consent.mayFill({ folder: home, names: ['.bashrc', 'notes.txt'] })).toBe(false);
    expect(asked[0]?.detail).toContain('Hidden: .bashrc.');
    expect(asked[0]?.remember, 'nobody allows hidden ones for good').toBeUndefined();
    expect(await consent.mayFill({ folder: downloads, names: ['repo/.git/hooks/\u202Ehook'] })).toBe(false);
    expect(asked[1]?.detail).toContain('repo/.git/hooks/⟨202E⟩hook');
    person.confirmed = true;
    await consent.mayFill({ folder: home, names: ['.bashrc'], chosen: true });
    expect(asked).toHaveLength(3);
  });

  it('never remembers the consent for the whole home folder', async () => {
    const { consent, home, asked, person } = await setUp();
    Object.assign(person, { confirmed: true, remember: true });
    await consent.mayFill({ folder: home, names: ['a.txt'], chosen: true });
    expect(asked, 'chosen in the system’s dialog just now').toEqual([]);
    await consent.mayFill({ folder: home, names: ['a.txt'] });
    await consent.mayFill({ folder: home, names: ['a.txt'] });
    expect(asked).toHaveLength(2);
  });

  it('asks before it writes to the download folder if this folder is, or contains, the home folder', async () => {
    const { home, asked } = await setUp();
    for (const free of [home, join(home, '..')]) {
      const consent = new WriteConsent({
        home,
        free: () => [free],
        places: () => Promise.resolve([home]),
        ask: (question) => {
          asked.push(question);
          return Promise.resolve({ confirmed: false, remember: false });
        },
      });
      expect(await consent.mayFill({ folder: home, names: ['a'] })).toBe(false);
    }
    expect(asked).toHaveLength(2);
  });

  it("remembers the consent for a folder that the user chose in the system's dialog", async () => {
    const { consent, home, asked } = await setUp();
    const folder = join(home, 'Documents');
    expect(await consent.mayFill({ folder, names: ['a.txt'], chosen: true })).toBe(true);
    expect(await consent.mayFill({ folder, names: ['b.txt'] })).toBe(true);
    expect(asked).toEqual([]);
  });

  it('resolves symbolic links before it compares folders', async () => {
    const { home, network } = await setUp();
    await symlink(join(home, 'Documents'), join(home, 'Linked'));
    const consent = new WriteConsent({
      home,
      free: () => [join(home, 'Linked')],
      places: () => Promise.resolve([home]),
      ask: () => Promise.resolve({ confirmed: false, remember: false }),
    });
    expect(await consent.mayFill({ folder: join(home, 'Documents'), names: ['a'] })).toBe(true);
    expect(await consent.mayFill({ folder: network, names: ['a'] })).toBe(false);
  });

  it.each([
    { what: 'a new name in the same folder', from: 'Documents/a', to: 'Documents/b', wants: true },
    {
      what: 'a move from one allowed folder to another',
      from: 'Downloads/a',
      to: '.games/network/a',
      wants: true,
    },
    { what: 'a move to a folder that is not allowed', from: 'Downloads/a', to: 'bin/a', wants: false },
    { what: 'a move of the downloads folder itself', from: 'Downloads', to: 'bin', wants: false },
    { what: 'a change to a hidden name', from: 'Documents/a', to: 'Documents/.a', wants: false },
    { what: 'a change from a hidden name', from: '.bashrc', to: 'bashrc', wants: false },
  ])('allows a rename without asking: $wants ($what)', async ({ from, to, wants }) => {
    const { consent, home, asked } = await setUp();
    expect(await consent.mayRename(join(home, from), join(home, to))).toBe(wants);
    expect(asked).toHaveLength(wants ? 0 : 1);
  });

  it('asks before a hidden folder is created, or a hidden entry is moved to the trash', async () => {
    const { consent, home, asked } = await setUp();
    expect(await consent.mayMake(join(home, 'servers'))).toBe(true);
    expect(await consent.mayTrash([join(home, 'Documents', 'a'), join(home, 'b')])).toBe(true);
    expect(asked).toEqual([]);
    expect(await consent.mayMake(join(home, '.config'))).toBe(false);
    expect(await consent.mayTrash([join(home, 'b'), join(home, '.bashrc')])).toBe(false);
    expect(asked.map(({ message }) => message)).toEqual([
      `Create the folder .config in ${home}?`,
      `Move .bashrc of ${home} to the trash?`,
    ]);
  });

  it('shortens long names and lists so that the dialog stays small', async () => {
    const { consent, home, asked } = await setUp();
    const names = Array.from({ length: 10_000 }, (_, index) => `.${'x'.repeat(240)}${index}`);
    await consent.mayFill({ folder: home, names });
    expect(asked[0]?.message).toBe(`Write 10000 entries to ${home}?`);
    expect(asked[0]?.detail).toMatch(/ and 9995 more\./);
    expect(asked[0]?.detail.length).toBeLessThan(1200);
  });
});
