import { describe, expect, it } from 'vitest';
import { DefaultFileProblem, resolveEntry } from '#master/templates/default-files/default-files.ts';

describe('resolveEntry (reads the source and destination of a default file)', () => {
  it.each([
    {
      it: 'renames a file to its destination',
      entry: { path: 'a/b.jar', destination: 'plugins/c.jar' },
      want: ['a/b.jar', 'plugins/c.jar'],
    },
    {
      it: 'puts a file into a folder',
      entry: { path: 'a/b.jar', destination: 'plugins/' },
      want: ['a/b.jar', 'plugins/b.jar'],
    },
    {
      it: "puts a file into the service's folder",
      entry: { path: 'b.jar', destination: '.' },
      want: ['b.jar', 'b.jar'],
    },
    {
      it: 'resolves a leading slash to the root of the shared files',
      entry: { path: '/a//b.jar', destination: './x' },
      want: ['a/b.jar', 'x'],
    },
    {
      it: 'resolves a directory',
      entry: { path: 'world/', destination: 'world/', directory: true },
      want: ['world', 'world'],
    },
    {
      it: "copies a directory over the service's folder",
      entry: { path: 'common', destination: '.', directory: true },
      want: ['common', ''],
    },
  ])('$it', ({ entry, want }) => {
    expect([resolveEntry(entry).source, resolveEntry(entry).destination]).toEqual(want);
  });

  it.each([
    { path: '../secret', destination: 'a' },
    { path: 'a/../../secret', destination: 'a' },
    { path: '/../secret', destination: 'a' },
    { path: 'a', destination: '../other/server.jar' },
    { path: 'a', destination: 'x/../../y' },
    { path: 'a', destination: '/etc/passwd' },
    { path: 'a', destination: '..' },
    { path: 'a\\..\\b', destination: 'c' },
    { path: 'a', destination: 'c\0d' },
  ])('rejects %j', (entry) => {
    expect(() => resolveEntry(entry)).toThrow(DefaultFileProblem);
  });
});
