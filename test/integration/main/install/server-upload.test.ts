import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startByteRelay } from '#test/support/byte-relay.ts';
import { openShell } from '#test/support/install/open-shell.ts';
import { canStartTestServer, startTestServer, type TestServer } from '#test/support/install/test-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import type { StepControl } from '#main/install/job/job-parts.ts';
import type { LocalPackage } from '#main/install/package/find-package.ts';
import type { ServerShell } from '#main/install/server/shell.ts';
import { ROOT_FOLDER } from '#main/install/server/run-in-unit.ts';
import { cleanUp } from '#main/install/steps/clean-up.ts';
import { uploadPackage } from '#main/install/steps/upload-package.ts';

const MEGABYTE = 1_000_000;
const file = 'overworld-master_0.2.0_amd64.deb';
const coded = (code: string) => expect.objectContaining({ code }) as Error;

function makePackage(bytes: number): LocalPackage {
  const content = randomBytes(bytes);
  const path = join(temporaryFolder(), file);
  writeFileSync(path, content);
  return { path, file, bytes, sha256: createHash('sha256').update(content).digest('hex') };
}

interface UploadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

/** Uploads a package, and records the reports of the step. */
function upload(shell: ServerShell, local: LocalPackage, options: UploadOptions = {}) {
  const { signal = new AbortController().signal, onProgress } = options;
  const told = { unchanged: false, detail: '', progress: [] as number[] };
  const step: StepControl = {
    command: () => undefined,
    detail: (text) => (told.detail = text),
    unchanged: () => (told.unchanged = true),
    progress: (done) => {
      told.progress.push(done);
      onProgress?.(done);
    },
  };
  const root = { shell, sudo: { kind: 'root' } as const };
  return { told, path: uploadPackage(step, { local, root, address: '127.0.0.1', signal }) };
}

/** Removes the files of the job that has uploaded the package. */
function clean(shell: ServerShell): Promise<void> {
  const signal = new AbortController().signal;
  return cleanUp({ shell, sudo: { kind: 'root' } }, { file, signal });
}

function partOf(local: LocalPackage): string {
  return `/var/tmp/overworld-0/${local.sha256}.deb.part`;
}

function digestOf(server: TestServer, path: string): string {
  return server.run(`sha256sum < ${path}`).slice(0, 64);
}

describe.runIf(canStartTestServer)('the upload of a package to a server', () => {
  it('is verified in a folder that only root can change, and is skipped if the package already exists', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const local = makePackage(3 * MEGABYTE);
    const first = upload(shell, local);
    const path = await first.path;
    expect(path).toBe(`/var/lib/overworld-install/${file}`);
    expect(digestOf(server, path)).toBe(local.sha256);
    expect(server.run('stat -c "%U %a" /var/lib/overworld-install')).toBe('root 755');
    expect(server.run('stat -c "%U %a" /var/tmp/overworld-0')).toBe('root 700');
    expect(server.run('ls /var/tmp/overworld-0')).toBe('');
    expect(first.told.progress.at(-1)).toBe(local.bytes);

    const second = upload(shell, local);
    expect(await second.path).toBe(path);
    expect(second.told).toMatchObject({ unchanged: true, progress: [] });
  });

  it('continues at the same position after its connection was interrupted', async () => {
    const server = await startTestServer();
    const relay = await startByteRelay({ host: '127.0.0.1', port: server.port });
    onTestFinished(() => relay.close());
    const local = makePackage(24 * MEGABYTE);
    const first = upload(await openShell(server, relay.port), local, {
      onProgress: (done) => {
        if (done > local.bytes / 2) relay.cut();
      },
    });
    await expect(first.path).rejects.toThrow(coded('SERVER_CONNECTION_LOST'));
    const arrived = Number(server.run(`stat -c %s ${partOf(local)}`));
    expect(arrived).toBeGreaterThan(4 * MEGABYTE);

    const sent = relay.passed.up;
    const second = upload(await openShell(server, relay.port), local);
    expect(digestOf(server, await second.path)).toBe(local.sha256);
    expect(second.told.progress[0]).toBe(arrived);
    expect(relay.passed.up - sent).toBeLessThan(local.bytes - arrived + MEGABYTE);
    expect(second.told.detail).toContain('Continued at');
  });

  it('deletes a damaged package, and succeeds at the next attempt', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const local = makePackage(MEGABYTE);
    server.run(`mkdir -m 700 /var/tmp/overworld-0 && head -c 400000 /dev/zero > ${partOf(local)}`);
    await expect(upload(shell, local).path).rejects.toThrow(coded('UPLOAD_DAMAGED'));
    expect(server.run('find /var/lib/overworld-install /var/tmp -type f')).toBe('');
    expect(digestOf(server, await upload(shell, local).path)).toBe(local.sha256);
  });

  it('replaces an unfinished file that is too long, and removes old unfinished files of other packages', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const local = makePackage(MEGABYTE);
    server.run(
      'mkdir -m 700 /var/tmp/overworld-0 && touch -d "2 hours ago" /var/tmp/overworld-0/old.deb.part',
    );
    server.run(`head -c 2000000 /dev/zero > ${partOf(local)}`);
    expect(digestOf(server, await upload(shell, local).path)).toBe(local.sha256);
    expect(server.run('ls /var/tmp/overworld-0')).toBe('');
  });

  it('keeps the files of another job that uploads or installs another package at the same time', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const others = ['/var/tmp/overworld-0/other.deb.part', `${ROOT_FOLDER}/other.deb`];
    server.run(`mkdir -m 700 /var/tmp/overworld-0 ${ROOT_FOLDER} && touch ${others.join(' ')}`);
    await upload(shell, makePackage(MEGABYTE)).path;
    const remaining = (): string => server.run(`find /var/tmp/overworld-0 ${ROOT_FOLDER} -type f | sort`);
    expect(remaining()).toBe([`${ROOT_FOLDER}/other.deb`, `${ROOT_FOLDER}/${file}`, others[0]].join('\n'));
    // An upload in progress writes all the time.
    server.run(`touch ${others.join(' ')}`);
    await clean(shell);
    expect(remaining()).toBe([`${ROOT_FOLDER}/other.deb`, others[0]].join('\n'));
  });

  it('is removed with all folders and the files of failed jobs when the job has ended', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    await upload(shell, makePackage(MEGABYTE)).path;
    server.run(`touch ${ROOT_FOLDER}/output ${ROOT_FOLDER}/exit-code`);
    const failed = `${ROOT_FOLDER}/failed.deb /var/tmp/overworld-0/failed.deb.part`;
    server.run(`mkdir -p -m 700 /var/tmp/overworld-0 && touch -d "1 minute ago" ${failed}`);
    await clean(shell);
    expect(server.run(`ls -d /var/tmp/overworld-0 ${ROOT_FOLDER} 2> /dev/null || true`)).toBe('');
  });

  it('is not removed while a command of another job runs', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const path = await upload(shell, makePackage(MEGABYTE)).path;
    // A systemctl that reports each unit as active.
    server.run('mkdir /var/lib/bin && ln -s /bin/true /var/lib/bin/systemctl');
    const run = shell.run.bind(shell);
    vi.spyOn(shell, 'run').mockImplementation((script, options) =>
      run(`PATH=/var/lib/bin:$PATH\n${script}`, options),
    );
    await clean(shell);
    expect(server.run(`ls ${path}`)).toBe(path);
  });

  it('succeeds if another job has placed the same package meanwhile', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const local = makePackage(2 * MEGABYTE);
    const run = shell.run.bind(shell);
    vi.spyOn(shell, 'run').mockImplementation((script, options) => {
      // The other job ends just before this job verifies the package. It also removes the unfinished file.
      if (script.includes('verified'))
        server.run(`mkdir ${ROOT_FOLDER} && mv ${partOf(local)} ${ROOT_FOLDER}/${file}`);
      return run(script, options);
    });
    expect(digestOf(server, await upload(shell, local).path)).toBe(local.sha256);
  });

  it.each([
    ['a folder of another user', 'mkdir /var/tmp/overworld-0 && chown 4242 /var/tmp/overworld-0'],
    ['a link of another user', 'ln -s /etc /var/tmp/overworld-0 && chown -h 4242 /var/tmp/overworld-0'],
  ])('refuses to write to %s', async (_what, trap) => {
    const server = await startTestServer();
    const shell = await openShell(server);
    server.run(trap);
    await expect(upload(shell, makePackage(1000)).path).rejects.toThrow(/belongs to another user; remove it/);
  });

  it('stops when it is cancelled, and can continue later', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const local = makePackage(24 * MEGABYTE);
    const cancel = new AbortController();
    const first = upload(shell, local, {
      signal: cancel.signal,
      onProgress: (done) => {
        if (done > local.bytes / 2) cancel.abort(new Error('enough'));
      },
    });
    await expect(first.path).rejects.toThrow('enough');
    const second = upload(shell, local);
    expect(digestOf(server, await second.path)).toBe(local.sha256);
    expect(second.told.progress[0]).toBeGreaterThan(4 * MEGABYTE);
  });
});
