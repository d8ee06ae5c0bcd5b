import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { minecraftOf } from '#master/templates/configs/paper-version.ts';
import { readJar } from '#master/templates/jar-info.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates a jar with this manifest and this list of Minecraft versions. */
async function jarOf(manifest: string, versions: string): Promise<string> {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'files/META-INF'), { recursive: true });
  await writeFile(join(folder, 'files/META-INF/versions.list'), versions);
  await writeFile(join(folder, 'files/other'), 'other');
  await writeFile(join(folder, 'manifest'), manifest);
  const jar = join(folder, 'server.jar');
  execFileSync('jar', ['cfm', jar, join(folder, 'manifest'), '-C', join(folder, 'files'), '.']);
  return jar;
}

describe('readJar', () => {
  const versions = 'ab12\t1.20.4\t1.20.4/paper-1.20.4.jar\n';

  it('reads the Minecraft version from a Paper jar', async () => {
    const reading = await readJar(await jarOf('Main-Class: io.papermc.paperclip.Main\n', versions));
    expect(reading).toEqual({ kind: 'jar', software: 'io.papermc.paperclip.Main', versions });
    expect(reading.kind === 'jar' && minecraftOf(reading.versions ?? '')).toBe('1.20.4');
  });

  it('does not search for the version in other jars', async () => {
    const reading = await readJar(await jarOf('Implementation-Title: Velocity\n', versions));
    expect(reading).toEqual({ kind: 'jar', software: 'Velocity', versions: null });
  });
});
