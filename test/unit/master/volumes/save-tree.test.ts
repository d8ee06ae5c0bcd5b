import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findIn, namesIn } from '#master/volumes/save-tree.ts';

/** Returns the entries that a save has for these files and empty folders. Paths that end in `/` are empty folders. */
function entriesOf(paths: readonly string[]) {
  return paths
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((path) => {
      const stamp = path.endsWith('/') ? '16877' : '5:1600000000123456789:0:0';
      return { path, size: path.endsWith('/') ? 0 : 5, mode: 0o640, hash: 'hash', stamp };
    });
}

const shown = (entries: ReturnType<typeof entriesOf>, folder: string): string[] =>
  [...namesIn(entries, folder)].map(({ name, file }) => (file === null ? `${name}/` : name));

describe('findIn and namesIn (files and folders of a save)', () => {
  const entries = entriesOf([
    'a',
    'empty/',
    'world-nether/x',
    'world/level.dat',
    'world/region/r.0.0.mca',
    'world0',
  ]);

  it('lists the names in a folder, even if the folder has no entry of its own', () => {
    expect(shown(entries, '')).toEqual(['a', 'empty/', 'world-nether/', 'world/', 'world0']);
    expect(shown(entries, 'world')).toEqual(['level.dat', 'region/']);
    expect(shown(entries, 'world/region')).toEqual(['r.0.0.mca']);
    expect(shown(entries, 'empty')).toEqual([]);
    expect(shown(entries, 'worl')).toEqual([]);
  });

  it('lists the names in a folder from any name onwards', () => {
    const all = [...namesIn(entries, '')];
    for (const [index, { next }] of all.entries())
      expect([...namesIn(entries, '', next)]).toEqual(all.slice(index + 1));
    const [first] = namesIn(entries, 'world');
    expect([...namesIn(entries, 'world', first?.next)].map(({ name }) => name)).toEqual(['region']);
  });

  it('finds files with size, mode and time, and finds folders', () => {
    expect(findIn(entries, 'world/level.dat')).toEqual({
      ...{ path: 'world/level.dat', size: 5, mode: 0o640, modifiedAtMs: 1_600_000_000_123 },
    });
    for (const folder of ['', 'world', 'world/region', 'empty'])
      expect(findIn(entries, folder)).toBe('folder');
    for (const path of ['worl', 'world/regio', 'a/b', 'world/level.dat/x', 'z'])
      expect(findIn(entries, path)).toBeUndefined();
  });

  it('lists the same names as a simple tree, for any names', () => {
    // The names contain characters that sort before and after the slash.
    const name = fc.string({
      unit: fc.constantFrom('-', '.', '0', 'a', 'é', '\u{1f30d}'),
      minLength: 1,
      maxLength: 3,
    });
    const path = fc.array(name, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 40 }), (all) => {
        const files = new Set<string>();
        const tree = new Map<string, Set<string>>([['', new Set()]]);
        for (const names of all) {
          const ancestors = names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join('/'));
          const full = names.join('/');
          // A path is either a file or a folder, not both.
          if (ancestors.some((one) => files.has(one)) || tree.has(full)) continue;
          files.add(full);
          ['', ...ancestors].forEach((folder, at) => {
            const isFile = at === names.length - 1;
            tree.set(folder, (tree.get(folder) ?? new Set()).add(`${names[at] ?? ''}${isFile ? '' : '/'}`));
          });
        }
        const saved = entriesOf([...files]);
        for (const [folder, names] of tree) {
          expect(new Set(shown(saved, folder))).toEqual(names);
          expect(shown(saved, folder)).toHaveLength(names.size);
          expect(findIn(saved, folder)).toBe('folder');
        }
        for (const file of files) expect(findIn(saved, file)).toMatchObject({ path: file });
      }),
    );
  });
});
