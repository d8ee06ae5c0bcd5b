import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning } from '#test/support/is-running.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { buildFrom } from '#main/install/package/build-package.ts';
import { findPackage } from '#main/install/package/find-package.ts';

const wanted = { version: '0.2.0', arch: 'amd64' } as const;
const file = 'overworld-master_0.2.0_amd64.deb';
const work = () => ({ signal: new AbortController().signal, report: () => undefined });
const coded = (code: string, why: RegExp) =>
  expect.objectContaining({
    code,
    details: expect.objectContaining({ file, why: expect.stringMatching(why) as string }) as object,
  }) as Error;

/** Creates a folder with a build script, like a checkout of the repository. */
function makeCheckout(script: string): string {
  const checkout = temporaryFolder();
  mkdirSync(join(checkout, 'build'));
  writeFileSync(join(checkout, 'build', 'dist.mjs'), script);
  return checkout;
}

describe('the package of the master that the app installs', () => {
  it('is found with size and digest', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, file), 'a package');
    expect(await findPackage({ folder, build: null }, wanted, work())).toEqual({
      ...{ path: join(folder, file), file, bytes: 9 },
      sha256: createHash('sha256').update('a package').digest('hex'),
    });
  });

  it('is reported as missing if the app contains no package', async () => {
    const folder = temporaryFolder();
    await expect(findPackage({ folder, build: null }, wanted, work())).rejects.toThrow(
      coded('PACKAGE_MISSING', /not in/),
    );
  });

  it('is built if the app runs from its source code, and the progress of the build is reported', async () => {
    const checkout = makeCheckout(`
      import { mkdirSync, writeFileSync } from 'node:fs';
      mkdirSync('release');
      console.log('master amd64    deb');
      writeFileSync('release/${file}', process.argv.slice(2).join(' '));`);
    const lines: string[] = [];
    const source = { folder: join(checkout, 'release'), build: buildFrom(checkout, process.execPath) };
    const found = await findPackage(source, wanted, { ...work(), report: (line) => lines.push(line) });
    expect(found.bytes).toBe('--master'.length);
    expect(lines).toEqual(['master amd64    deb']);
  });

  it('is reported as missing if the build fails or creates no package', async () => {
    const failing = makeCheckout(`console.error('no dpkg-deb'); process.exit(1);`);
    const build = buildFrom(failing, process.execPath);
    await expect(findPackage({ folder: failing, build }, wanted, work())).rejects.toThrow(
      coded('PACKAGE_MISSING', /the build failed: no dpkg-deb/),
    );
    const empty = makeCheckout('');
    await expect(
      findPackage({ folder: empty, build: buildFrom(empty, process.execPath) }, wanted, work()),
    ).rejects.toThrow(coded('PACKAGE_MISSING', /did not write it/));
    await expect(
      findPackage({ folder: empty, build: buildFrom(empty, join(empty, 'no-node')) }, wanted, work()),
    ).rejects.toThrow(coded('PACKAGE_MISSING', /could not be started/));
  });

  it('is no longer built after a cancellation, and all processes of the build exit', async () => {
    const checkout = makeCheckout(`
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const child = spawn('sleep', ['600']);
      writeFileSync('pid', String(child.pid));`);
    const cancel = new AbortController();
    const building = buildFrom(checkout, process.execPath)({ ...work(), file, signal: cancel.signal });
    const pid = await waitFor(
      () => existsSync(join(checkout, 'pid')) && Number(readFileSync(join(checkout, 'pid'), 'utf8')),
    );
    cancel.abort(new Error('enough'));
    await expect(building).rejects.toThrow('enough');
    expect(await waitFor(() => !isRunning(pid), { what: 'the child to end' })).toBe(true);
  });
});
