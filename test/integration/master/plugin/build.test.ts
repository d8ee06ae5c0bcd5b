import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PLUGIN_FILE, pluginJarPath } from '#master/plugin/plugin-jar.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { buildPlugin } from '../../../../build/scripts/java/build-plugin.mjs';

const run = promisify(execFile);

it('the build of the plugin creates the same jar file each time', async () => {
  const folder = temporaryFolder();
  const jars = await Promise.all(
    ['a.jar', 'b.jar'].map((name) => buildPlugin({ outFile: join(folder, name) })),
  );
  const [first, second] = await Promise.all(jars.map((jar) => readFile(jar)));
  expect(first?.equals(second ?? Buffer.of())).toBe(true);
});

it("the jar file of the plugin contains only Overworld's classes for Java 11, and descriptors with the version", async () => {
  const folder = temporaryFolder();
  const jar = await buildPlugin({ outFile: join(folder, 'out', PLUGIN_FILE) });
  const inside = join(folder, 'inside');
  await mkdir(inside);
  await run('jar', ['--extract', `--file=${jar}`], { cwd: inside });
  const entries = await readdir(inside, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(inside, join(entry.parentPath, entry.name)))
    .sort();
  const others = files.filter((file) => !file.startsWith('overworld/'));
  expect(others).toEqual([
    'META-INF/MANIFEST.MF',
    'bungee.yml',
    'overworld-plugin.properties',
    'plugin.yml',
    'velocity-plugin.json',
  ]);
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  for (const file of others) {
    const text = await readFile(join(inside, file), 'utf8');
    expect(text).toContain(version);
    expect(text).not.toContain('${');
  }
  for (const file of files.filter((name) => name.startsWith('overworld/'))) {
    expect(file).toMatch(/\.class$/);
    // Class file major version 55 is Java 11.
    expect((await readFile(join(inside, file))).readUInt16BE(6)).toBe(55);
  }
});

it('a master that runs from its source code finds the jar file of the plugin', async () => {
  const built = await buildPlugin();
  expect(await readFile(pluginJarPath())).toEqual(await readFile(built));
});
