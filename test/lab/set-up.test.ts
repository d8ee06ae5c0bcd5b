import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ensureImage } from '../../build/scripts/lab/image.mjs';
import { checkMirror } from '../../build/scripts/lab/mirror.mjs';
import { ensureSystemPackages } from '../../build/scripts/set-up/system-packages.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starts a server in place of a Debian mirror. @returns its address */
async function openMirror(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/debian`;
}

/** Uses an empty image cache and this mirror for the calling test. */
function use(mirror: string): { readonly cache: string } {
  const cache = temporaryFolder();
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.stubEnv('OVERWORLD_DEBIAN_MIRROR', mirror);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { cache };
}

describe("creating the disk image of the lab's nodes", () => {
  it('fails before the time limit if the Debian mirror never answers, and names the mirror', async () => {
    const mirror = await openMirror(() => undefined);
    const began = performance.now();
    await expect(checkMirror(mirror, 1)).rejects.toThrow(
      new RegExp(`${mirror} does not give packages .*timed out.*OVERWORLD_DEBIAN_MIRROR`, 's'),
    );
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('fails with the answer of the mirror if the mirror has no Debian packages', async () => {
    const mirror = await openMirror((_, response) => response.writeHead(404).end());
    use(mirror);
    await expect(ensureImage()).rejects.toThrow(new RegExp(`${mirror} does not give packages .*404`, 's'));
  });

  it('fails after the time limit if the mirror stops answering, and leaves no unfinished image', async () => {
    let asked = 0;
    const mirror = await openMirror((_, response) => {
      asked += 1;
      if (asked === 1) response.end('Origin: Debian\n');
    });
    const { cache } = use(mirror);
    await expect(ensureImage({ timeoutMs: 3_000 })).rejects.toThrow(
      /could not be made from .* \(it was not done after 0 min: .*\); check the network/s,
    );
    expect(asked).toBeGreaterThan(1);
    const left = await readdir(join(cache, 'overworld', 'lab'));
    expect(left.filter((name) => !/\.(lock|part)$/.test(name))).toEqual([]);
  });
});

describe('installing system packages', () => {
  it('fails if the mirror never answers, and names the missing package', async () => {
    const mirror = await openMirror(() => undefined);
    const folder = temporaryFolder();
    for (const name of ['lists/partial', 'cache/archives/partial']) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    writeFileSync(join(folder, 'sources.list'), `deb ${mirror} bookworm main\n`);
    const settings = {
      'Dir::Etc::sourcelist': join(folder, 'sources.list'),
      'Dir::Etc::sourceparts': '/dev/null',
      'Dir::State::lists': join(folder, 'lists'),
      'Dir::Cache': join(folder, 'cache'),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
    writeFileSync(join(folder, 'apt.conf'), lines.join(''));
    vi.stubEnv('APT_CONFIG', join(folder, 'apt.conf'));
    onTestFinished(() => void vi.unstubAllEnvs());

    const need = { what: 'no-such-program', kind: 'program', debs: ['no-such-package'] } as const;
    await expect(ensureSystemPackages([need], { timeoutMs: 2_000 })).rejects.toThrow(
      /lacks no-such-program, and its Debian mirror gave no list of packages within 2 s .*check the network/,
    );
  });
});
