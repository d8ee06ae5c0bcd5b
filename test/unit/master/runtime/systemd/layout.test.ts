import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProvidedFile } from '#master/runtime/runtime.ts';
import { readLayout, requirePlaces } from '#master/runtime/systemd/layout.ts';
import { DefaultFileReader } from '#master/templates/default-files/default-file-facts.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';
import type { FileEntry } from '#shared/config/template.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const lease: RevisionLease = {
  entries: ['plugins/a.jar', 'server.jar', 'server.properties', 'worlds/'].map((path) => ({
    path,
    size: path.endsWith('/') ? 0 : 3,
    mode: 0o640,
    hash: path.endsWith('/') ? '' : `hash of ${path}`,
  })),
  pathOf: (path) => `/revision/${path}`,
  release: () => undefined,
};

async function layoutWith(
  shared: Record<string, string>,
  defaultServiceFiles: readonly FileEntry[],
  given: readonly ProvidedFile[] = [],
) {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(shared)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { mode: 0o600 });
  }
  const read = () =>
    readLayout({ defaultServiceFiles: [...defaultServiceFiles], persistentPaths: [] }, lease, {
      folder,
      reader,
      given,
    });
  const reader = new DefaultFileReader();
  return { folder, read };
}

describe('readLayout (collects the files of a service for its node)', () => {
  it('returns the files of the revision, with server.properties separate from the others', async () => {
    const { read } = await layoutWith({}, []);
    const layout = await read();
    expect(layout.files.map(({ path }) => path)).toEqual(['plugins/a.jar', 'server.jar', 'worlds/']);
    expect(layout.properties?.source).toBe('/revision/server.properties');
    expect((await read()).id).toBe(layout.id);
  });

  it('replaces files of the revision by default files, and default files by later default files', async () => {
    const { folder, read } = await layoutWith({ 'a.jar': 'one', 'set/deep/b.txt': 'two', 'c.txt': 'three' }, [
      { path: 'a.jar', destination: 'plugins/' },
      { path: 'set', destination: 'plugins', directory: true },
      { path: 'c.txt', destination: 'plugins/deep/b.txt' },
      { path: 'c.txt', destination: 'server.properties' },
    ]);
    const layout = await read();
    const sources = Object.fromEntries(layout.files.map(({ path, source }) => [path, source]));
    expect(sources).toEqual({
      'plugins/': join(folder, 'set'),
      'plugins/a.jar': join(folder, 'a.jar'),
      'plugins/deep/': join(folder, 'set/deep'),
      'plugins/deep/b.txt': join(folder, 'c.txt'),
      'server.jar': '/revision/server.jar',
      'worlds/': '/revision/worlds/',
    });
    expect(layout.properties?.source).toBe(join(folder, 'c.txt'));
    await writeFile(join(folder, 'a.jar'), 'changed');
    const after = await read();
    expect(after.id).not.toBe(layout.id);
    expect(after.files.find(({ path }) => path === 'plugins/a.jar')).toMatchObject({ size: 7 });
  });

  it.each([
    { what: 'a file in place of a folder', to: 'plugins', wants: /cannot replace the folder "plugins"/ },
    { what: 'a file in place of an empty folder', to: 'worlds', wants: /cannot replace the folder "worlds"/ },
    { what: 'a file below a file', to: 'server.jar/x', wants: /cannot go into "server.jar"/ },
    { what: 'a file far below a file', to: 'plugins/a.jar/b/c', wants: /cannot go into "plugins\/a.jar"/ },
    { what: 'a path that leads out of the folder', to: '../x', wants: /points outside its folder/ },
  ])('throws for $what', async ({ to, wants }) => {
    const { read } = await layoutWith({ 'a.jar': 'one' }, [{ path: 'a.jar', destination: to }]);
    await expect(read()).rejects.toThrow(wants);
  });

  it('throws for a folder in place of a file, and for a link among the shared files', async () => {
    const { folder, read } = await layoutWith({ 'set/x': 'one' }, [
      { path: 'set', destination: 'server.jar', directory: true },
    ]);
    await expect(read()).rejects.toThrow(/cannot go into "server.jar"/);
    await symlink('/etc/hostname', join(folder, 'set/link'));
    await expect(read()).rejects.toThrow(/is a link/);
  });

  it('prefers the files of the master to other files at the same paths, but leaves out files with secrets', async () => {
    const jar = { path: 'plugins/overworld.jar', content: Buffer.from('plugin'), mode: 0o644 } as const;
    const link = { path: 'link.properties', content: Buffer.from('token=1'), mode: 0o600 } as const;
    const set = { 'set/overworld.jar/deep.txt': 'old', 'set/link.properties': 'old' };
    const entries = [
      { path: 'set/overworld.jar', destination: 'plugins/overworld.jar', directory: true },
      { path: 'set/link.properties', destination: './' },
    ];
    const { read } = await layoutWith(set, entries, [jar, link]);
    const layout = await read();
    expect(layout.files.map(({ path }) => path)).toEqual([
      'plugins/a.jar',
      'plugins/overworld.jar',
      'server.jar',
      'worlds/',
    ]);
    expect(layout.files[1]).toMatchObject({ size: 6, mode: 0o644, source: jar.content });
    expect(layout.files[1]?.hash).toBe(createHash('sha256').update('plugin').digest('hex'));
    // Another token results in the same layout, so that the node can reuse it.
    const other = await layoutWith(set, entries, [jar, { ...link, content: Buffer.from('token=2') }]);
    expect((await other.read()).id).toBe(layout.id);
    const newer = await layoutWith(set, entries, [{ ...jar, content: Buffer.from('newer!') }, link]);
    expect((await newer.read()).id).not.toBe(layout.id);
  });

  it.each(['server.jar/plugin.jar', 'plugins/a.jar/deep/b'])(
    'throws if a file of the master lies below another file: %s',
    async (path) => {
      const { read } = await layoutWith({}, [], [{ path, content: Buffer.from('x'), mode: 0o644 }]);
      await expect(read()).rejects.toThrow(/is not a folder, so .* cannot be written/);
    },
  );

  it.each(['../x', '/x', 'a/../../x', 'a/', '', 'a\\b'])(
    'throws if a file of the master has the invalid path "%s"',
    async (path) => {
      const { read } = await layoutWith({}, [], [{ path, content: Buffer.from('x'), mode: 0o644 }]);
      await expect(read()).rejects.toThrow(/is not a path inside/);
    },
  );

  it('requirePlaces throws for a file in place of a folder, and for a file below another file', async () => {
    const { read } = await layoutWith({}, []);
    const layout = await read();
    requirePlaces(layout, ['server.properties', 'plugins/new/deep.yml', 'plugins/a.jar', 'worlds/x']);
    expect(() => requirePlaces(layout, ['worlds'])).toThrow(/worlds is a folder/);
    expect(() => requirePlaces(layout, ['plugins'])).toThrow(/plugins is a folder/);
    expect(() => requirePlaces(layout, ['server.jar/a/b'])).toThrow(/"server.jar" is not a folder/);
  });
});

describe('readLayout, for a service with a volume,', () => {
  const readWith = async (persistentPaths: string[], saved: readonly string[]): Promise<string[]> => {
    const { folder } = await layoutWith({}, []);
    const entries = saved.map((path) => ({ path, size: 1, mode: 0o600, hash: `hash of ${path}` }));
    const volume = { entries, pathOf: (path: string) => `/save/${path}` };
    const over = { folder, reader: new DefaultFileReader(), given: [], volume };
    const { files } = await readLayout({ defaultServiceFiles: [], persistentPaths }, lease, over);
    return files.map(({ path, source }) => `${path} ${String(source)}`);
  };

  it('takes a file at a persistent path from the save if both the save and the revision contain the file', async () => {
    expect(await readWith(['plugins', 'worlds'], ['plugins/data.yml'])).toEqual([
      'plugins/data.yml /save/plugins/data.yml',
      'server.jar /revision/server.jar',
      'worlds/ /revision/worlds/',
    ]);
  });

  it("keeps the template's server.properties, which decides about online-mode", async () => {
    const { folder } = await layoutWith({}, []);
    const entries = [{ path: 'server.properties', size: 1, mode: 0o600, hash: 'a' }];
    const volume = { entries, pathOf: (path: string) => `/save/${path}` };
    const over = { folder, reader: new DefaultFileReader(), given: [], volume };
    const spec = { defaultServiceFiles: [], persistentPaths: ['server.properties'] };
    const { properties, ownProperties } = await readLayout(spec, lease, over);
    expect(properties?.source).toBe('/save/server.properties');
    expect(ownProperties?.source).toBe('/revision/server.properties');
  });

  it('ignores files of the save outside the persistent paths, such as other server software', async () => {
    expect(await readWith(['**'], ['server.jar'])).toEqual(await readWith([], []));
    expect(await readWith(['worlds'], ['server.jar', 'plugins/a.jar'])).toEqual(await readWith([], []));
  });
});
