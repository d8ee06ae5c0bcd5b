import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  practiceRegistries,
  registriesFile,
} from '../../../../../build/scripts/java/practice-registries.mjs';
import { buildPracticeServer } from '../../../../../build/scripts/java/build-practice-server.mjs';

const run = promisify(execFile);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overworld-build-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe('buildPracticeServer (builds the jar file of the practice server)', () => {
  it('builds the same jar file from the same sources, and leaves no other files', async () => {
    const [first, second] = await Promise.all(
      ['a.jar', 'b.jar'].map((name) => buildPracticeServer({ outFile: join(folder, name) })),
    );
    expect(await readFile(String(first))).toEqual(await readFile(String(second)));
    expect((await readdir(folder)).sort()).toEqual(['a.jar', 'a.jar.inputs', 'b.jar', 'b.jar.inputs']);
  });

  it('writes name and version of the server into the manifest, and compiles for Java 11', async () => {
    const jar = await buildPracticeServer({ outFile: join(folder, 'server.jar') });
    await run('jar', ['--extract', `--file=${jar}`], { cwd: folder });
    const manifest = await readFile(join(folder, 'META-INF/MANIFEST.MF'), 'utf8');
    expect(manifest).toContain('Main-Class: overworld.practice.PracticeServer\r\n');
    expect(manifest).toContain('Implementation-Title: Overworld practice server\r\n');
    expect(manifest).toMatch(/Implementation-Version: \d+\.\d+\.\d+\r\n/);
    const main = await readFile(join(folder, 'overworld/practice/PracticeServer.class'));
    // Class file major version 55 is Java 11.
    expect(main.readUInt16BE(6)).toBe(55);
  });

  it('includes the registries of the newest Minecraft version exactly as in minecraft-data', async () => {
    expect(await readFile(registriesFile, 'utf8')).toBe(practiceRegistries());
  });

  it('builds nothing if the sources have not changed, but replaces a damaged jar file', async () => {
    const outFile = join(folder, 'server.jar');
    await buildPracticeServer({ outFile });
    const built = await readFile(outFile);
    const { ino } = await stat(outFile);
    await buildPracticeServer({ outFile });
    expect((await stat(outFile)).ino).toBe(ino);
    await writeFile(outFile, built.subarray(0, 1000));
    await buildPracticeServer({ outFile });
    expect(await readFile(outFile)).toEqual(built);
  });

  it('tells the user to install a JDK if there is none, and leaves no unfinished files', async () => {
    vi.stubEnv('JAVA_HOME', join(folder, 'no-jdk'));
    await expect(buildPracticeServer({ outFile: join(folder, 'out/server.jar') })).rejects.toThrow(
      /cannot be built, because there is no .*javac; install a JDK/,
    );
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });
});
