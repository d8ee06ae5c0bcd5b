import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildExamplePlugin } from '../../../../build/scripts/java/build-example-plugin.mjs';
import { buildPlugin } from '../../../../build/scripts/java/build-plugin.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const run = promisify(execFile);
const descriptorSchema = z.looseObject({ main: z.string(), name: z.string(), version: z.string() });

it.each([
  ["Overworld's plugin", buildPlugin],
  ['the example plugin', buildExamplePlugin],
])('the jar file of %s contains the main class that each of its descriptors names', async (_, build) => {
  const { folder, files } = await unpacked(await build({ outFile: join(temporaryFolder(), 'plugin.jar') }));
  for (const descriptor of ['bungee.yml', 'plugin.yml', 'velocity-plugin.json']) {
    // The YAML parser also reads the JSON descriptor.
    const { main, version } = descriptorSchema.parse(parse(await readFile(join(folder, descriptor), 'utf8')));
    expect(files, descriptor).toContain(`${main.replaceAll('.', '/')}.class`);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  }
  expect(files.filter((name) => name.endsWith('.class') && !name.startsWith('overworld/'))).toEqual([]);
});

it("the example plugin contains no classes of Overworld's plugin, but names it as a dependency", async () => {
  const jar = await buildExamplePlugin({ outFile: join(temporaryFolder(), 'plugin.jar') });
  const { folder, files } = await unpacked(jar);
  expect(files.filter((name) => /^overworld\/(?!example\/).*\.class$/.test(name))).toEqual([]);
  const read = async (name: string): Promise<unknown> => parse(await readFile(join(folder, name), 'utf8'));
  expect(await read('bungee.yml')).toMatchObject({ depends: ['Overworld'] });
  expect(await read('plugin.yml')).toMatchObject({ depend: ['Overworld'] });
  expect(await read('velocity-plugin.json')).toMatchObject({
    dependencies: [{ id: 'overworld', optional: false }],
  });
});

async function unpacked(jar: string) {
  const folder = join(temporaryFolder(), 'inside');
  await mkdir(folder);
  await run('jar', ['--extract', `--file=${jar}`], { cwd: folder });
  const names = await readdir(folder, { recursive: true });
  return { folder, files: names.map((name) => name.replaceAll('\\', '/')) };
}
