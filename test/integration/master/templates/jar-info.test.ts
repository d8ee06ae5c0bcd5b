import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { minecraftOf } from '#master/templates/configs/paper-version.ts';
import { readJar } from '#master/templates/jar-info.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

type Files = Readonly<Record<string, string | Buffer>>;

/** Returns the beginning of a class file with this version. */
function classFile(major: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(0xca_fe_ba_be, 0);
  bytes.writeUInt16BE(major, 6);
  return bytes;
}

/** Creates a jar with this manifest and this list of Minecraft versions. */
async function jarOf(manifest: string, versions: string, more: Files = {}): Promise<string> {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'files/META-INF'), { recursive: true });
  await writeFile(join(folder, 'files/META-INF/versions.list'), versions);
  for (const [path, content] of Object.entries({ other: 'other', ...more })) {
    await mkdir(dirname(join(folder, 'files', path)), { recursive: true });
    await writeFile(join(folder, 'files', path), content);
  }
  await writeFile(join(folder, 'manifest'), manifest);
  const jar = join(folder, 'server.jar');
  execFileSync('jar', ['cfm', jar, join(folder, 'manifest'), '-C', join(folder, 'files'), '.']);
  return jar;
}

describe('readJar (reads the manifest of a jar file)', () => {
  const versions = 'ab12\t1.20.4\t1.20.4/paper-1.20.4.jar\n';

  it('reads the Minecraft version from a jar file of Paper', async () => {
    const reading = await readJar(await jarOf('Main-Class: io.papermc.paperclip.Main\n', versions));
    expect(reading).toMatchObject({ kind: 'jar', software: 'io.papermc.paperclip.Main', versions });
    expect(reading.kind === 'jar' && minecraftOf(reading.versions ?? '')).toBe('1.20.4');
  });

  it('returns no Minecraft version for other jar files', async () => {
    const reading = await readJar(await jarOf('Implementation-Title: Velocity\n', versions));
    expect(reading).toMatchObject({ kind: 'jar', software: 'Velocity', versions: null });
  });
});

describe('the Java version that a jar file needs', () => {
  const MAIN = 'Main-Class: com.example.Server\n';

  it.each<{ it: string; manifest: string; versions?: string; files?: Files; want: number | null }>([
    { it: 'its main class', manifest: MAIN, files: { 'com/example/Server.class': classFile(69) }, want: 25 },
    {
      it: 'version.json, if the main class runs on an older Java',
      manifest: MAIN,
      files: {
        'com/example/Server.class': classFile(52),
        'version.json': JSON.stringify({ id: '1.21.4', java_version: 21 }),
      },
      want: 21,
    },
    { it: 'its Minecraft version', manifest: MAIN, versions: 'ab\t1.20.4\t1.20.4/x.jar\n', want: 17 },
    {
      it: 'the Minecraft version that a launcher of Fabric starts',
      manifest: 'Main-Class: net.fabricmc.installer.ServerLauncher\n',
      files: {
        'net/fabricmc/installer/ServerLauncher.class': classFile(52),
        'install.properties': '#Wed\nfabric-loader-version=0.16.14\ngame-version=1.21.4\n',
      },
      want: 21,
    },
    {
      it: 'no source if a launcher of Fabric starts a snapshot, even if the launcher runs on Java 8',
      manifest: 'Main-Class: net.fabricmc.installer.ServerLauncher\n',
      files: {
        'net/fabricmc/installer/ServerLauncher.class': classFile(52),
        'install.properties': 'game-version=24w14a\n',
      },
      want: null,
    },
    { it: 'Java-Version', manifest: `${MAIN}Java-Version: 21\n`, want: 21 },
    {
      it: "the jar's main class, even if a newer Java built the jar",
      manifest: `${MAIN}Build-Jdk-Spec: 25\n`,
      files: { 'com/example/Server.class': classFile(61) },
      want: 17,
    },
    {
      it: 'the Java version that built the jar, if nothing else is known',
      manifest: 'Build-Jdk-Spec: 21\n',
      want: 21,
    },
    { it: 'no source if the jar states no version', manifest: MAIN, want: null },
    {
      it: 'no source if version.json is damaged',
      manifest: MAIN,
      files: { 'version.json': '{"java_version": "x"', 'com/example/Server.class': 'no class' },
      want: null,
    },
  ])('comes from $it', async ({ manifest, versions = '', files = {}, want }) => {
    expect(await readJar(await jarOf(manifest, versions, files))).toMatchObject({ needsJava: want });
  });

  it('is the version for which a real compiler has compiled the main class', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'Main.java'), 'class Main { public static void main(String[] a) {} }');
    execFileSync('javac', ['--release', '11', '-d', folder, join(folder, 'Main.java')]);
    execFileSync('jar', ['cfe', join(folder, 'x.jar'), 'Main', '-C', folder, 'Main.class']);
    expect(await readJar(join(folder, 'x.jar'))).toMatchObject({ needsJava: 11 });
  });
});
