import { readdir, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JavaDownloads } from '#master/runtime/java/downloads.ts';
import type { ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { fakeAdoptium } from '#test/support/java/fake-adoptium.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { buildSmallJre, findJdk } from '#test/support/java/small-jre.ts';
import { runtimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { waitFor } from '#test/support/wait-for.ts';

const jdk = findJdk(25);
let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

/** Returns the line that a service prints for a command on its console. */
async function answerOf(runtime: ProcessRuntime, line: string, answer: RegExp): Promise<string> {
  await runtime.command('lobby-1', line);
  return waitFor(async () => (await runtime.tailLog('lobby-1', 200)).find((text) => answer.test(text)), {
    what: String(answer),
  });
}

async function startProbe(runtime: ProcessRuntime, spec = serviceSpec()): Promise<void> {
  await runtime.prepare(spec);
  await runtime.start(spec.id);
  await waitFor(async () =>
    (await runtime.tailLog(spec.id, 200)).some((line) => line.startsWith('probe ready')),
  );
}

describe("the arguments and environment variables of a service on the master's machine", () => {
  it('come from the template, and do not change those of the master', async () => {
    const { open } = await runtimeFixture(probe.jar);
    const runtime = open();
    const spec = serviceSpec({
      jvmArguments: ['-Dprobe.text=two words', '-XX:+UseSerialGC'],
      environment: [
        { name: 'DB_PASSWORD', value: 'a"b\\c $HOME `id` %n\nü' },
        { name: 'EMPTY', value: '' },
      ],
    });
    await startProbe(runtime, spec);
    expect(await answerOf(runtime, 'property probe.text', /^property/)).toBe('property two words');
    // The output is sorted by variable. One value has two lines.
    await answerOf(runtime, 'environment', /OVERWORLD_SERVICE=lobby-1/);
    const lines = await runtime.tailLog('lobby-1', 200);
    expect(lines.join('\n')).toContain('DB_PASSWORD=a"b\\c $HOME `id` %n\nü, EMPTY=, HOME=');
    await runtime.stop('lobby-1', { graceMs: 10_000 });
  });
});

describe.skipIf(jdk === null)("the Java of a service on the master's machine (needs a JDK 25)", () => {
  it('is the default version if it can run the service, and a newer version otherwise', async () => {
    const { open } = await runtimeFixture(probe.jar);
    const runtime = open();
    await startProbe(runtime, serviceSpec({ needsJava: 11 }));
    const usual = await answerOf(runtime, 'property java.specification.version', /^property/);
    expect(usual).toBe(`property ${/^\d+/.exec((await runtime.javaVersion()) ?? '')?.[0] ?? ''}`);
    await runtime.stop('lobby-1', { graceMs: 10_000 });
    await startProbe(runtime, serviceSpec({ needsJava: 25 }));
    expect(await answerOf(runtime, 'property java.specification.version', /^property 25/)).toBe(
      'property 25',
    );
    await runtime.stop('lobby-1', { graceMs: 10_000 });
  });
});

describe.skipIf(jdk === null)('a Java version that is missing (needs a JDK 25)', () => {
  let jre: ReturnType<typeof buildSmallJre>;
  beforeAll(() => {
    jre = buildSmallJre(jdk ?? '');
  });
  afterAll(() => jre.remove());

  it('is downloaded, unpacked, used for the service, and found by a later master', async () => {
    const adoptium = await fakeAdoptium({ 25: jre.archive });
    const { open, folder, services } = await runtimeFixture(probe.jar);
    const versions = join(folder, 'java', 'versions');
    const downloads = (url: string | null): JavaDownloads =>
      new JavaDownloads({ folder: join(folder, 'java', 'downloads'), url, reserve: () => undefined });
    const wanted = serviceSpec({ java: '25' });
    const online = open({
      javaFolders: [],
      javaVersions: { folder: versions, downloads: downloads(adoptium.url) },
    });
    // Create the remaining files of an interrupted installation.
    await mkdir(join(versions, 'jdk-25.0.5+11.part', 'bin'), { recursive: true });
    await writeFile(join(versions, 'jdk-25.0.5+11.part', 'bin', 'java'), '', { mode: 0o755 });
    await startProbe(online, wanted);
    const home = await answerOf(online, 'property java.home', /^property/);
    expect(home).toBe(`property ${join(versions, 'jdk-25.0.5+11')}`);
    await online.stop('lobby-1', { graceMs: 10_000 });
    await online.forget('lobby-1');
    expect(await readdir(versions)).toEqual(['jdk-25.0.5+11']);
    const offline = open({
      javaFolders: [],
      javaVersions: { folder: versions, downloads: downloads(null) },
    });
    await startProbe(offline, wanted);
    await offline.stop('lobby-1', { graceMs: 10_000 });
    await offline.forget('lobby-1');
    expect(adoptium.requests.filter((path) => path.startsWith('/v3'))).toHaveLength(1);
    // A version that cannot be installed leaves no files.
    const error = await offline.prepare(serviceSpec({ java: '24' })).catch((thrown: unknown) => thrown);
    expect(hasCode(error, 'JAVA_UNAVAILABLE') && error.message).toContain(
      'Java 24 is needed, and could not be installed on local: this master installs no Java.',
    );
    expect(await readdir(services)).toEqual([]);
  });
});
