import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { SoftwareChoice, SoftwareId } from '#shared/model/software.ts';
import { SoftwareCatalogue } from '#master/software/catalogue/catalogue.ts';
import { JarCache } from '#master/software/download/jar-cache.ts';
import { SoftwareLibrary, type DownloadWork } from '#master/software/software-library.ts';
import { DiskReserve, type DiskSpace } from '#master/store/disk-reserve.ts';
import { FakeCatalogue } from '#test/support/software/fake-catalogue.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const PLENTY: DiskSpace = { freeBytes: 2 ** 40, totalBytes: 2 ** 41, freeFiles: 1e9, totalFiles: 2e9 };

let fake: FakeCatalogue;
beforeAll(async () => {
  fake = await FakeCatalogue.start();
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.trouble = null;
  fake.requests.length = 0;
  fake.paperBuilds.splice(0, fake.paperBuilds.length, 131, 130);
});

interface Opened {
  readonly library: SoftwareLibrary;
  readonly cache: JarCache;
  readonly folder: string;
}

async function open({
  maxBytes = 2 ** 30,
  space = PLENTY,
  mirror = fake.url,
}: {
  readonly maxBytes?: number;
  readonly space?: DiskSpace;
  readonly mirror?: string;
} = {}): Promise<Opened> {
  const root = temporaryFolder();
  const folder = join(root, 'software');
  await mkdir(join(root, 'state'));
  let now = 0;
  const cache = await JarCache.open({
    folder,
    index: join(root, 'state', 'software.json'),
    now: () => (now += 1),
    maxBytes,
  });
  const reserve = new DiskReserve({ measure: () => space, reserveBytes: () => 1_000_000, now: () => 0 });
  const library = new SoftwareLibrary({
    ...{ cache, reserve },
    catalogue: new SoftwareCatalogue({ mirror }),
    bundled: new Map(),
  });
  return { library, cache, folder };
}

const of = (software: SoftwareId, version: string | null = null, build: string | null = null) => ({
  ...{ software, version, build },
});

function work(signal = new AbortController().signal): DownloadWork & { readonly bytes: () => number } {
  let bytes = 0;
  return {
    signal,
    bytes: () => bytes,
    progress: { expect: () => undefined, bytes: (count) => void (bytes += count) },
  };
}

describe('the catalogue of server software', () => {
  it.each([
    ['paper', '1.21.11', '131', 'sha256', 'game'],
    ['folia', '1.21.11', '131', 'sha256', 'game'],
    ['velocity', '3.4.0-SNAPSHOT', '131', 'sha256', 'proxy'],
    ['waterfall', '1.21', '131', 'sha256', 'proxy'],
    ['purpur', '1.21.11', '2547', 'md5', 'game'],
    ['vanilla', '1.21.11', null, 'sha1', 'game'],
    ['fabric', '1.21.11', '0.18.4-1.1.0', null, 'game'],
  ] as const)('downloads the newest stable build of %s, and verifies its hash', async (...row) => {
    const [software, version, build, verified, kind] = row;
    const { library } = await open();
    const doing = work();
    const choice = await library.download(of(software), doing);
    expect(choice).toEqual({ software, version, build });
    const expected = fake.jar(kind, verified === 'sha256' ? 131 : 0);
    expect((await readFile(await library.jarPath(choice))).equals(expected)).toBe(true);
    expect(doing.bytes()).toBe(expected.length);
    expect((await library.cached()).map((one) => one.verified)).toEqual([verified]);
    expect(fake.requests.every(({ agent }) => /^overworld-master\/\d.*\(https:/.test(agent))).toBe(true);
  });

  it('marks unstable versions and builds, and requests each list of the publisher once', async () => {
    const { library } = await open();
    const { catalogue } = library;
    fake.paperBuilds.unshift(201);
    expect(await catalogue.versions('paper')).toEqual([
      { version: '1.21.12-pre1', stable: false },
      { version: '1.21.11', stable: true },
      { version: '1.21.10', stable: true },
      { version: '1.20.6', stable: true },
    ]);
    expect(await catalogue.versions('vanilla')).toEqual([
      { version: '26w14a', stable: false },
      { version: '1.21.11', stable: true },
    ]);
    expect((await catalogue.builds('paper', '1.21.11')).map(({ build, stable }) => [build, stable])).toEqual([
      ['201', false],
      ['131', true],
      ['130', true],
    ]);
    await catalogue.versions('paper');
    expect(fake.requests).toHaveLength(3);
    await expect(library.download(of('paper', '1.21.11'), work())).resolves.toMatchObject({ build: '131' });
  });
});

describe('the download of server software', () => {
  it('continues after an interruption', async () => {
    const { library } = await open();
    const content = fake.jar('game', 131);
    const half = Math.floor(content.length / 2);
    let interrupt = (): void => undefined;
    fake.trouble = (request, response) => {
      if (!request.url?.includes('/files/')) return false;
      response.setHeader('content-length', content.length);
      response.write(content.subarray(0, half));
      interrupt = () => void response.destroy();
      return true;
    };
    let arrived = 0;
    const progress = {
      expect: () => undefined,
      bytes: (count: number) => {
        arrived += count;
        if (arrived === half) interrupt();
      },
    };
    await expect(library.download(of('paper'), { ...work(), progress })).rejects.toMatchObject({
      code: 'SOFTWARE_SOURCE_UNREACHABLE',
    });
    fake.trouble = null;
    const choice = await library.download(of('paper'), work());
    expect(fake.requests.at(-1)?.range).toBe(`bytes=${half}-`);
    expect((await readFile(await library.jarPath(choice))).equals(content)).toBe(true);
  });

  it('starts from the beginning if the unfinished file belongs to another build', async () => {
    const { library, cache } = await open();
    await writeFile(cache.partPath(of('paper', '1.21.11', '131')), randomBytes(1_000));
    const choice = await library.download(of('paper'), work());
    expect((await readFile(await library.jarPath(choice))).equals(fake.jar('game', 131))).toBe(true);
  });

  it('starts from the beginning if the unfinished file already has the full size or more', async () => {
    const { library, cache } = await open();
    const content = fake.jar('game');
    await writeFile(cache.partPath(of('purpur', '1.21.11', '2547')), content);
    await writeFile(cache.partPath(of('vanilla', '1.21.11')), Buffer.concat([content, content]));
    for (const software of ['purpur', 'vanilla'] as const) {
      const choice = await library.download(of(software, '1.21.11'), work());
      expect((await readFile(await library.jarPath(choice))).equals(content)).toBe(true);
    }
  });

  it('can be cancelled, and keeps the unfinished file', async () => {
    const { library, folder } = await open();
    const cancel = new AbortController();
    fake.trouble = (request, response) => {
      if (!request.url?.includes('/files/')) return false;
      response.setHeader('content-length', fake.jar('game', 131).length);
      response.write(fake.jar('game', 131).subarray(0, 5_000));
      return true;
    };
    const doing = work(cancel.signal);
    const running = library.download(of('paper'), {
      ...doing,
      progress: {
        expect: () => undefined,
        bytes: (count) => count > 0 && cancel.abort(new Error('cancelled')),
      },
    });
    await expect(running).rejects.toThrow('cancelled');
    expect(await readdir(folder)).toEqual(['paper%201.21.11%20131.part']);
  });

  it('happens only once if two callers request the same build', async () => {
    const { library } = await open();
    const both = await Promise.all([
      library.download(of('paper'), work()),
      library.download(of('paper'), work()),
    ]);
    expect(new Set(both.map((choice) => JSON.stringify(choice))).size).toBe(1);
    expect(fake.requests.filter(({ path }) => path.includes('/files/'))).toHaveLength(1);
  });

  it('removes the least recently used jar files from the cache, but keeps their hashes', async () => {
    const size = fake.jar('game', 131).length;
    const { library, cache, folder } = await open({ maxBytes: 2.5 * size });
    const first = await library.download(of('paper', '1.21.11', '130'), work());
    const second = await library.download(of('paper', '1.21.11', '131'), work());
    // Create a link without a target. It looks like a file of another download that is renamed after the folder was
    // listed.
    await symlink('renamed', join(folder, 'other.part'));
    // If a disk is mounted at the folder, ext4 has created a folder on it.
    await mkdir(join(folder, 'lost+found'));
    const sha256 = cache.find(second)?.sha256 ?? '';
    await library.jarPath(first);
    await library.download(of('vanilla'), work());
    await expect(library.jarPath(second)).rejects.toMatchObject({ code: 'SOFTWARE_NOT_DOWNLOADED' });
    expect(library.buildOf(sha256)).toEqual(second);
    await expect(library.jarPath(first)).resolves.toBeTruthy();
  });
});

/** The response to requests whose address contains `part`. */
type Answer = [part: string, status: number, body?: string, headers?: Record<string, string>];

describe('the failed download of server software', () => {
  const failure = async (choice: SoftwareChoice, opened?: Opened): Promise<string> => {
    const { library } = opened ?? (await open());
    return library.download(choice, work()).then(
      () => 'no error',
      (error: unknown) => String(error),
    );
  };
  const answers = (...[part, status, body = '', headers = {}]: Answer) => {
    fake.trouble = (request, response) => {
      if (!request.url?.includes(part)) return false;
      response.writeHead(status, headers).end(body);
      return true;
    };
  };

  it('is explained if there is no access to the internet', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const address = closed.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await new Promise((resolve) => closed.close(resolve));
    const text = await failure(of('paper'), await open({ mirror: `http://127.0.0.1:${port}` }));
    expect(text).toContain(`PaperMC cannot be reached at 127.0.0.1:${port}: the connection was refused`);
  });

  it('is explained for an unknown build, a rate limit, an error, and an invalid answer', async () => {
    expect(await failure(of('paper', '1.21.11', '7'))).toContain('does not offer build 7 of paper 1.21.11');
    expect(await failure(of('purpur', '1.0'))).toContain('Purpur does not offer Purpur 1.0');
    expect(await failure(of('vanilla', '26w14a'))).toContain('does not offer a server of Vanilla 26w14a');
    answers('/papermc/', 429, '', { 'retry-after': '17' });
    expect(await failure(of('paper'))).toContain('Try again in 17 s');
    answers('/papermc/', 503);
    expect(await failure(of('paper'))).toContain('it responds with the error 503');
    answers('/papermc/', 200, '<html>');
    expect(await failure(of('paper'))).toContain('it is not JSON');
    answers('/papermc/', 200, '{"versions":{"1.21":7}}');
    expect(await failure(of('paper'))).toContain('cannot be used: at "versions.1.21"');
  });

  it('leaves no file behind if the hash is wrong or the file is not a jar file', async () => {
    const opened = await open();
    answers('/files/', 200, 'something else');
    expect(await failure(of('paper'), opened)).toMatch(
      /damaged or was changed, and was deleted: its sha256 is/,
    );
    answers('/server/jar', 200, '<html>');
    expect(await failure(of('fabric'), opened)).toContain('it is not a complete zip archive');
    expect(await readdir(opened.folder)).toEqual([]);
  });

  it('is explained if the publisher redirects to an address of another host, or more than 3 times', async () => {
    for (const location of ['http://127.0.0.1:1/', 'http://169.254.169.254/', 'file:///etc/passwd']) {
      answers('/files/', 302, '', { location });
      expect(await failure(of('paper'))).toContain(`PaperMC refers to ${location}`);
    }
    answers('/files/', 302, '', { location: `${fake.url}/papermc/files/paper-131.jar` });
    expect(await failure(of('paper'))).toContain('redirected more than 3 times');
  });

  it('is explained if the disk is full', async () => {
    const opened = await open({ space: { ...PLENTY, freeBytes: 1_010_000 } });
    expect(await failure(of('paper'), opened)).toContain("reserved for the master's own data");
    expect(await opened.library.cached()).toEqual([]);
  });
});
