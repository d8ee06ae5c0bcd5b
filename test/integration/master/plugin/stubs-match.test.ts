import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../../../build/scripts/paths.mjs';
import { methodsOf, readJavaTypes, type JavaType } from '#test/support/java/java-api.ts';
import { mavenJar } from '#test/support/java/maven.ts';

const run = promisify(execFile);
const stubs = join(root, 'master/plugin/stubs');
const sources = join(root, 'master/plugin/src');

/** The oldest supported version of BungeeCord, and a new version. */
const bungeeVersions = {
  '1.16-R0.4': {
    'bungeecord-api': 'a6fa90fc3e6af33682ece3d75a56968fa8ea0f2d5e3c6b32f6535178f4eecc9b',
    'bungeecord-chat': '4f7634ead4022f9bf855173aa44dfe1374f1e4be9a3e9f1001c61a2c4885ec55',
    'bungeecord-config': 'c816726f92b859eca9cc9e770ab518963f447bbbab050c7a87747b3c64354ec4',
    'bungeecord-event': 'c11f03f98f1dc84835f0ca4fb0cecb15485a6da737183171cc163def3afce701',
  },
  '1.21-R0.4': {
    'bungeecord-api': '12612c66e3a8cfbc0605680370c0f71028a99b50fe5f5befdc60331961f88589',
    'bungeecord-chat': '3bade7edb09149aff360836012b5e8b469416bed8edd4f63bda2cdcce3d450ca',
    'bungeecord-config': 'e2a78112f7c30f6d59c8c56c44c88b6013a69642c684e7438ffffae65f4a5d13',
    'bungeecord-event': 'fe034dc5ac550c71264cad9cddb5c38ddc8c8a70047d1fa3ee5bf99051236389',
  },
};

/**
 * Versions of MockBukkit for the oldest supported version and a new version of Bukkit. MockBukkit is a test server
 * that is compiled against Bukkit's API. It is in Maven Central, and Bukkit's API is not. The classes of MockBukkit
 * implement everything that the API declares.
 */
const mockBukkits = {
  '1.13': {
    ...{ group: 'com.github.seeseemelk', artifact: 'MockBukkit-v1.13', version: '0.2.0' },
    sha256: '0a1ce53c7ae82e4dbc6790c44faf4097c61fe42a9c065664405b71b8784dcb58',
    home: 'be.seeseemelk.mockbukkit',
  },
  '1.21': {
    ...{ group: 'org.mockbukkit.mockbukkit', artifact: 'mockbukkit-v1.21', version: '4.45.0' },
    sha256: '353cf1631c415bee61b405462b8b381751b5e4dbafdf78637fbda0dcf9f6edde',
    home: 'org.mockbukkit.mockbukkit',
  },
};
const mocksByStub = {
  'org.bukkit.Server': 'ServerMock',
  'org.bukkit.entity.Player': 'entity.PlayerMock',
  'org.bukkit.plugin.PluginManager': 'plugin.PluginManagerMock',
  'org.bukkit.scheduler.BukkitScheduler': 'scheduler.BukkitSchedulerMock',
};
/** Method that does not exist on servers before Paper 1.20. The plugin does not call it there. */
const newer = 'getGlobalRegionScheduler';

/** Maximum time of a first download over a slow network (ms). */
const PATIENCE_MS = 300_000;

/** Folder that all tests in this file share, because downloads and compilation take some time. */
const work = mkdtempSync(join(tmpdir(), 'overworld-test-'));
const compiledStubs = join(work, 'stubs');

beforeAll(async () => {
  await javac(['-d', compiledStubs, ...(await javaFilesIn(stubs))]);
});

afterAll(() => rm(work, { recursive: true, force: true }));

describe.each(Object.entries(bungeeVersions))(
  'the BungeeCord API in version %s',
  { timeout: PATIENCE_MS },
  (version, digests) => {
    it('declares everything exactly as the stubs in this project', async ({ skip }) => {
      const jars = await published(version, digests);
      if (jars === null) return skip(`bungeecord-api ${version} cannot be had here (mvn)`);
      expect(await differences(jars, /^net\.md_5\./)).toEqual([]);
    });

    it('can be used to compile the plugin', async ({ skip }) => {
      const jars = await published(version, digests);
      if (jars === null) return skip(`bungeecord-api ${version} cannot be had here (mvn)`);
      const files = [
        ...(await javaFilesIn(join(sources, 'overworld/plugin/bungee'))),
        ...(await javaFilesIn(join(sources, 'overworld/api/bungee'))),
      ];
      const paths = ['-cp', jars.join(delimiter), '-sourcepath', sources];
      await expect(javac([...paths, '-d', join(work, version), ...files])).resolves.toBeUndefined();
    });
  },
);

describe('the Velocity API', () => {
  const jar = process.env['OVERWORLD_TEST_VELOCITY_JAR'];

  it('declares everything exactly as the stubs in this project', async ({ skip }) => {
    if (jar === undefined) return skip('OVERWORLD_TEST_VELOCITY_JAR names no Velocity');
    expect(await differences([jar], /^(com\.velocitypowered|com\.google|net\.kyori|org\.slf4j)\./)).toEqual(
      [],
    );
  });
});

describe.each(Object.entries(mockBukkits))(
  'the Bukkit API in version %s',
  { timeout: PATIENCE_MS },
  (minecraft, mock) => {
    it('declares all interface methods of the stubs in this project', async ({ skip }) => {
      const jar = await mavenJar(mock, work);
      if (jar === null) return skip(`${mock.artifact} ${mock.version} cannot be had here (mvn)`);
      const ours = await readJavaTypes([compiledStubs], Object.keys(mocksByStub));
      const mocks = Object.values(mocksByStub).map((name) => `${mock.home}.${name}`);
      const real = await readJavaTypes([jar], mocks);
      const missing = Object.entries(mocksByStub).flatMap(([stub, name]) => {
        const methods = [...(ours.get(stub)?.methods ?? [])];
        expect(methods).not.toEqual([]);
        const found = methodsOf(real, `${mock.home}.${name}`);
        return methods.filter((method) => !found.has(method)).map((method) => `${stub} has no ${method}`);
      });
      expect(missing.filter((it) => minecraft === '1.21' || !it.includes(newer))).toEqual([]);
    });
  },
);

describe('the newest Bukkit API', () => {
  it('declares everything exactly as the stubs in this project', async ({ skip }) => {
    const api = process.env['OVERWORLD_TEST_BUKKIT_API'];
    if (!api) return skip("OVERWORLD_TEST_BUKKIT_API names no Bukkit API's class path");
    const found = await differences(api.split(delimiter), /^org\.bukkit\./);
    expect(found.filter((it) => !it.includes(newer))).toEqual([]);
  });
});

const fetched = new Map<string, Promise<readonly string[] | null>>();

/** Downloads the jars of a version once. Returns null if they cannot be downloaded on this machine. */
function published(version: string, digests: Readonly<Record<string, string>>) {
  const known = fetched.get(version) ?? fetchJars(version, digests);
  fetched.set(version, known);
  return known;
}

async function fetchJars(version: string, digests: Readonly<Record<string, string>>) {
  const jars: string[] = [];
  for (const [artifact, sha256] of Object.entries(digests)) {
    const jar = await mavenJar({ group: 'net.md-5', artifact, version, sha256 }, work);
    if (jar === null) return null;
    jars.push(jar);
  }
  return jars;
}

/** Compares our stubs with the real API. Returns one sentence for each difference. */
async function differences(jars: readonly string[], concerned: RegExp): Promise<readonly string[]> {
  const names = (await readdir(compiledStubs, { recursive: true }))
    .filter((name) => name.endsWith('.class'))
    .map((name) => name.slice(0, -'.class'.length).replaceAll(/[/\\]/g, '.'))
    .filter((name) => concerned.test(name));
  expect(names.length).toBeGreaterThan(10);
  const ours = await readJavaTypes([compiledStubs], names);
  const real = await readJavaTypes(jars, names);
  return names.flatMap((name) => differencesOf(name, ours.get(name), real));
}

function differencesOf(
  name: string,
  ours: JavaType | undefined,
  real: ReadonlyMap<string, JavaType>,
): readonly string[] {
  const found = real.get(name);
  if (ours === undefined || found === undefined) return [`${name} is missing`];
  if (ours.kind !== found.kind) return [`${name} is a ${found.kind}, not a ${ours.kind}`];
  const methods = methodsOf(real, name);
  return (
    [...ours.methods]
      // Ignore default constructors, because our code does not call them.
      .filter((method) => method !== `${name.replaceAll('$', '.')}()V` && method !== `${name}()V`)
      .filter((method) => !methods.has(method))
      .map((method) => `${name} has no ${method}`)
  );
}

async function javaFilesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.java')).map((name) => join(folder, name));
}

async function javac(args: readonly string[]): Promise<void> {
  await run('javac', ['--release', '11', '-encoding', 'UTF-8', '-proc:none', '-nowarn', ...args]);
}
