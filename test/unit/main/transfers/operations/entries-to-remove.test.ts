import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesToRemove } from '#main/transfers/operations/entries-to-remove.ts';
import type { Tree } from '#main/transfers/operations/tree.ts';

/** Creates a source of these files. Names that end with `@` are links; names that end with `/` are empty folders. */
function aTree(...paths: readonly string[]): Tree {
  const names = (path: string) => path.split('/').filter((name) => name !== '');
  const folders = new Set(
    paths.flatMap((path) => {
      const parts = names(path);
      const depths = parts.slice(0, path.endsWith('/') ? undefined : -1);
      return depths.map((_, depth) => parts.slice(0, depth + 1).join('/'));
    }),
  );
  return {
    root: 'folder',
    rootMode: 0o755,
    folders: [...folders].sort().map((path) => ({ path: names(path), mode: 0o755 })),
    files: paths
      .filter((path) => !/[@/]$/.test(path))
      .map((path) => ({ path: names(path), bytes: 1, mode: 0o644, modifiedAt: 0 })),
    skipped: paths.filter((path) => path.endsWith('@')),
  };
}

const joined = (paths: readonly (readonly string[])[]) => paths.map((path) => path.join('/')).sort();

describe('entriesToRemove (what a move removes from its source folder)', () => {
  it.each([
    {
      sentence: 'the whole source if all files were moved',
      tree: aTree('a/1', 'b/2', 'e/'),
      goes: ['a/1', 'b/2'],
      tops: [''],
    },
    { sentence: 'only moved files, not skipped ones', tree: aTree('a/1', 'b/2'), goes: ['a/1'], tops: ['a'] },
    {
      sentence: 'no link and no folder that contains one',
      tree: aTree('a/1', 'b/2', 'b/c@'),
      goes: ['a/1', 'b/2'],
      tops: ['a', 'b/2'],
    },
    { sentence: 'nothing if no file has arrived', tree: aTree('a/1'), goes: [], tops: [] },
    {
      sentence: 'a folder whose files were all moved, but not its sibling that keeps a file',
      tree: aTree('a/x/1', 'a/y/2', 'a/y/z/3'),
      goes: ['a/y/2', 'a/y/z/3'],
      tops: ['a/y'],
    },
  ])('returns $sentence', ({ tree, goes, tops }) => {
    expect(joined(entriesToRemove(tree, new Set(goes)).tops)).toEqual(tops);
  });

  it('returns the source itself if it is a file', () => {
    const tree: Tree = {
      ...{ root: 'file', rootMode: 0o644, folders: [], skipped: [] },
      files: [{ path: [], bytes: 1, mode: 0o644, modifiedAt: 0 }],
    };
    expect(entriesToRemove(tree, new Set(['']))).toEqual({ tops: [[]], folders: [], files: [[]] });
    expect(entriesToRemove(tree, new Set()).tops).toEqual([]);
  });

  it('returns each moved file once, and folders after their content', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `${names.join('/')}/f`);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(path, fc.boolean()), { selector: ([p]) => p, maxLength: 12 }),
        (files) => {
          const goes = new Set(files.filter(([, moved]) => moved).map(([p]) => p));
          const { tops, folders } = entriesToRemove(aTree(...files.map(([p]) => p)), goes);
          for (const [file, moved] of files) {
            const holders = joined(tops).filter(
              (top) => top === '' || file === top || file.startsWith(`${top}/`),
            );
            expect(holders, file).toHaveLength(moved ? 1 : 0);
          }
          const depths = folders.map(({ length }) => length);
          expect(depths).toEqual([...depths].sort((a, b) => b - a));
        },
      ),
    );
  });
});
