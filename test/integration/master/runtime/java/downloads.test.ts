import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JavaDownloads, type JavaDownloadsOptions } from '#master/runtime/java/downloads.ts';
import { JavaProblem } from '#master/runtime/java/java-problem.ts';
import { isDiskFull } from '#master/templates/disk-problem.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { fakeAdoptium, type Faults } from '#test/support/java/fake-adoptium.ts';
import { freePort } from '#test/support/free-port.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const LINUX = { os: 'linux', architecture: 'x64' } as const;
const ARCHIVE = randomBytes(300_000);
const API = '/v3/assets/latest/21/hotspot';
const FILE = '/files/21/OpenJDK21U-jre_x64_linux_hotspot_21.0.5_11.tar.gz';

async function aMaster(options: Partial<JavaDownloadsOptions> = {}) {
  const adoptium = await fakeAdoptium({ 21: ARCHIVE });
  const folder = join(temporaryFolder(), 'downloads');
  const world = { ms: 0 };
  const open = () =>
    new JavaDownloads({
      ...{ folder, url: adoptium.url, reserve: () => undefined, clock: () => world.ms },
      ...options,
    });
  const downloads = open();
  const attempt = async (feature = 21): Promise<unknown> =>
    downloads.archive(feature, LINUX).catch((error: unknown) => error);
  return { adoptium, folder, world, open, downloads, attempt };
}

describe('a Java version from Adoptium', () => {
  it('is downloaded and verified once, and later masters can use it without a network', async () => {
    const { adoptium, downloads, open, folder } = await aMaster();
    const [first, second] = await Promise.all([downloads.archive(21, LINUX), downloads.archive(21, LINUX)]);
    expect(second).toEqual(first);
    expect(first.build).toMatchObject({ feature: 21, release: 'jdk-21.0.5+11', size: ARCHIVE.length });
    expect(await readFile(first.path)).toEqual(ARCHIVE);
    expect(adoptium.requests).toEqual([API, FILE]);
    expect(await open().archive(21, LINUX)).toEqual(first);
    expect(adoptium.requests).toHaveLength(2);
    // Delete the archive, as a person does to free disk space.
    await rm(first.path);
    expect(await open().archive(21, LINUX)).toEqual(first);
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is requested without HTTPS only from the configured host', async () => {
    const inside = await fakeAdoptium({ 21: ARCHIVE });
    const { adoptium, attempt, world } = await aMaster();
    for (const faults of [{ redirectsTo: `${inside.url}${FILE}` }, { link: `${inside.url}${FILE}` }]) {
      Object.assign(adoptium.faults, { redirectsTo: undefined, ...faults });
      expect(String(await attempt())).toContain('neither the same host nor uses HTTPS');
      world.ms += 60_000;
    }
    expect(inside.requests).toEqual([]);
  });

  it('can be downloaded over up to 5 redirects within the same host', async () => {
    const { adoptium, attempt, world } = await aMaster();
    adoptium.faults.redirectsTo = FILE;
    expect(String(await attempt())).toContain('redirects more than 5 times');
    world.ms += 60_000;
    adoptium.faults.redirectsTo = `${adoptium.url}/moved/21/archive`;
    expect(await attempt()).toMatchObject({ build: { feature: 21 } });
  });

  it.each(['..', '.', '../x', '-x'])(
    'is refused if its name %s cannot be the name of a folder',
    async (release) => {
      const { adoptium, attempt } = await aMaster();
      adoptium.faults.release = release;
      expect(String(await attempt())).toContain('cannot be read');
    },
  );

  it('is refused if the list of builds is too long', async () => {
    const { adoptium, attempt } = await aMaster();
    adoptium.faults.text = `[]${' '.repeat(2_000_000)}`;
    expect(String(await attempt())).toContain('cannot be read');
  });

  it.each([{ ignoresRange: false }, { ignoresRange: true }])(
    'is downloaded completely after an interruption: %o',
    async ({ ignoresRange }) => {
      const { adoptium, attempt, world, folder } = await aMaster();
      Object.assign(adoptium.faults, { cutAfter: 70_000, ignoresRange });
      expect(await attempt()).toBeInstanceOf(JavaProblem);
      const parts = (await readdir(folder)).filter((name) => name.endsWith('.part'));
      expect(parts).toHaveLength(1);
      world.ms += 60_000;
      delete adoptium.faults.cutAfter;
      const archive = await attempt();
      expect(archive).toMatchObject({ build: { size: ARCHIVE.length } });
      // The line before has checked the properties of `archive`.
      expect(await readFile((archive as { path: string }).path)).toEqual(ARCHIVE);
      const continued = adoptium.requests.filter((request) => request.includes(' from '));
      expect(continued.length).toBeGreaterThanOrEqual(3);
    },
  );

  it.each<{ it: string; feature?: number; faults: Faults; want: RegExp }>([
    {
      it: 'a version that does not exist',
      feature: 99,
      faults: {},
      want: /offers no Java 99 for linux on x64/,
    },
    { it: 'an empty list', faults: { isEmpty: true }, want: /offers no Java 21 for linux on x64/ },
    {
      it: 'a response that is not a list',
      faults: { text: '<html>' },
      want: /the answer of .* cannot be read/,
    },
    {
      it: 'a list with another shape',
      faults: { text: '[{"binary":{}}]' },
      want: /the answer of .* cannot be read/,
    },
    { it: 'an error of the API', faults: { status: 503 }, want: /answered with status 503/ },
    {
      it: 'a request limit of the API',
      faults: { status: 429, headers: { 'retry-after': '120' } },
      want: /refuses further requests for now \(status 429\). It can be asked again in 120 s/,
    },
    {
      it: 'a request limit of the file server',
      faults: { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
      want: /refuses further requests for now \(status 403\)$/,
    },
    { it: 'a missing file', faults: { fileStatus: 404 }, want: /answered with status 404/ },
    { it: 'a wrong hash', faults: { checksum: 'a'.repeat(64) }, want: /is damaged: its hash is not/ },
    { it: 'a download that always stops', faults: { cutAfter: 1_000 }, want: /the download from .* stopped/ },
  ])('cannot be downloaded, and the error explains why: $it', async ({ feature, faults, want }) => {
    const { adoptium, attempt, folder } = await aMaster();
    Object.assign(adoptium.faults, faults);
    const error = await attempt(feature);
    expect(error).toBeInstanceOf(JavaProblem);
    expect(String(error)).toMatch(want);
    // No file remains that looks complete.
    expect((await readdir(folder)).filter((name) => !name.endsWith('.part'))).toEqual([]);
    // The download of a damaged file is not continued, so the file is removed.
    if (faults.checksum !== undefined) expect(await readdir(folder)).toEqual([]);
  });

  it('cannot be downloaded, and the error explains why, if the host is unreachable or downloads are off', async () => {
    const port = await freePort();
    const { attempt } = await aMaster({ url: `http://127.0.0.1:${port}` });
    expect(String(await attempt())).toContain(`127.0.0.1:${port} cannot be reached: ECONNREFUSED`);
    const { attempt: attemptOff } = await aMaster({ url: null });
    expect(String(await attemptOff())).toContain('this master does not download Java');
  });

  it('is not requested again within a minute after a failure, or before the time that the host has named', async () => {
    const { adoptium, attempt, world } = await aMaster();
    adoptium.faults.status = 503;
    const first = await attempt();
    expect(await attempt()).toBe(first);
    expect(adoptium.requests).toHaveLength(1);
    world.ms += 60_000;
    Object.assign(adoptium.faults, { status: 429, headers: { 'retry-after': '300' } });
    await attempt();
    world.ms += 299_000;
    delete adoptium.faults.status;
    expect(await attempt()).toBeInstanceOf(JavaProblem);
    expect(adoptium.requests).toHaveLength(2);
    world.ms += 1_000;
    expect(await attempt()).toMatchObject({ build: { feature: 21 } });
  });

  it('is not downloaded if it would use the reserve of the disk', async () => {
    const reserve = (bytes: number): void => {
      throw new DiskReserveReached(`${bytes} bytes are too many.`);
    };
    const { attempt } = await aMaster({ reserve });
    expect(String(await attempt())).toContain('300000 bytes are too many.');
  });

  it.skipIf(!canMount)('cannot be downloaded to a full disk, and the error names this reason', async () => {
    const adoptium = await fakeAdoptium({ 21: randomBytes(2_000_000) });
    const folder = smallDisk(1);
    const downloads = new JavaDownloads({ folder, url: adoptium.url, reserve: () => undefined });
    const error = await downloads.archive(21, LINUX).catch((thrown: unknown) => thrown);
    expect(isDiskFull(error)).toBe(true);
  });
});
