import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2, { type Client } from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyTree, type TreeCopy } from '#main/transfers/operations/copy-tree.ts';
import { PartLedger } from '#main/transfers/operations/part.ts';
import { RemoteFiles } from '#main/transfers/remote/remote-files.ts';
import { RequestLog } from '#main/transfers/remote/request-log.ts';
import { Scope } from '#test/bench/kit/scope.ts';
import { hasSshd, startSshd } from '#test/bench/kit/sftp/private-sshd.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';

/**
 * Creates a folder with small files, with one file just above the size limit, and with one entry of each special
 * kind.
 */
async function makeFolder(parent: string): Promise<string> {
  const folder = join(parent, 'config');
  await mkdir(join(folder, 'deep'), { recursive: true });
  for (let n = 0; n < 20; n += 1) await writeFile(join(folder, 'deep', `f${n}.yml`), randomBytes(n * 300));
  await writeFile(join(folder, 'run.sh'), '#!/bin/sh\n');
  await chmod(join(folder, 'run.sh'), 0o751);
  await utimes(join(folder, 'run.sh'), 1_600_000_000, 1_600_000_000);
  await writeFile(join(folder, 'edge'), randomBytes(65_536));
  await writeFile(join(folder, 'beyond'), randomBytes(65_537));
  return folder;
}

/** Returns mode, modification time (s) and content of every file below a folder, by path. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const { mode, mtimeMs, isFile } = await statOf(join(folder, name));
    if (!isFile) continue;
    const content = (await readFile(join(folder, name))).toString('base64');
    found[name] = `${(mode & 0o777).toString(8)} ${Math.floor(mtimeMs / 1000)} ${content}`;
  }
  return found;
}

async function statOf(path: string) {
  const stats = await stat(path);
  return { mode: stats.mode, mtimeMs: stats.mtimeMs, isFile: stats.isFile() };
}

describe('the upload of small files', () => {
  it('needs one request per small file, while larger files are sent in pieces', async () => {
    const fixture = await openTransferFixture();
    const folder = await makeFolder(fixture.local);
    await fixture.upload([folder]);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', files: { done: 23, total: 23 } }]);
    expect(await contentOf(join(fixture.remote, 'config'))).toEqual(await contentOf(folder));
    const asked = fixture.session.requests.list().map(({ text }) => text.split(' ')[0]);
    expect(asked.filter((word) => word === 'PUT').length).toBe(22);
    expect(asked.filter((word) => word === 'OPEN').length).toBe(1);
    expect(asked.filter((word) => word === 'REPLACE').length).toBe(1);
  });

  it('is refused if the target file already exists and the transfer must not replace it', async () => {
    const fixture = await openTransferFixture();
    const localPath = join(fixture.local, 'eula.txt');
    await writeFile(localPath, 'new');
    await writeFile(join(fixture.remote, 'eula.txt'), 'somebody else');
    const sent = copyTree({
      ...quiet({ localPath, remotePath: '/templates/lobby/eula.txt' }),
      files: await fixture.session.files(),
      policy: 'refuse',
    });
    await expect(sent).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    expect(await readFile(join(fixture.remote, 'eula.txt'), 'utf8')).toBe('somebody else');
    expect(await readdir(fixture.remote)).toEqual(['eula.txt']);
  });

  it('leaves no unfinished files if these cannot be renamed', async () => {
    const fixture = await openTransferFixture();
    const folder = await makeFolder(fixture.local);
    // A folder already exists at the path of one file.
    await mkdir(join(fixture.remote, 'config', 'run.sh'), { recursive: true });
    await fixture.upload([folder]);
    const [transfer] = await fixture.ended();
    expect(transfer?.state).toBe('failed');
    const names = await readdir(join(fixture.remote, 'config'), { recursive: true });
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.skipIf(!hasSshd())(
    "uses only standard SFTP requests if the server lacks Overworld's extensions",
    async () => {
      const scope = new Scope();
      onTestFinished(() => scope.close());
      const person = makePerson('other');
      const target = temporaryFolder();
      const server = await startSshd(scope, { publicKey: person.publicKey, folder: target });
      const client = await loginTo(server, person.privateKey);
      onTestFinished(() => void client.destroy());
      const folder = await makeFolder(temporaryFolder());
      const log = new RequestLog();
      await copyTree({
        ...quiet({ localPath: folder, remotePath: join(target, 'config') }),
        files: await RemoteFiles.open(client, { connection: 'other', log }),
        policy: 'overwrite',
      });
      expect(await contentOf(join(target, 'config'))).toEqual(await contentOf(folder));
      const asked = log.list().map(({ text }) => text.split(' ')[0]);
      expect(asked.filter((word) => word === 'PUT').length).toBe(0);
      expect(asked.filter((word) => word === 'OPEN').length).toBe(23);
    },
  );
});

/** Returns the options of an upload that reports no progress. */
function quiet(paths: Pick<TreeCopy, 'localPath' | 'remotePath'>): Omit<TreeCopy, 'files' | 'policy'> {
  return {
    ...{ direction: 'upload', ...paths, again: false, origin: 'here', parts: new PartLedger(new Set()) },
    equalBefore: new Set(),
    signal: new AbortController().signal,
    onTotal: () => undefined,
    onBytes: () => undefined,
    onFile: () => undefined,
  };
}

function loginTo(
  server: { readonly port: number; readonly user: string },
  privateKey: string,
): Promise<Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    // As in the app, many uploads run at the same time, and each upload adds its own listeners.
    client.setMaxListeners(100);
    client.once('ready', () => resolve(client));
    client.once('error', reject);
    client.connect({ host: '127.0.0.1', port: server.port, username: server.user, privateKey });
  });
}
