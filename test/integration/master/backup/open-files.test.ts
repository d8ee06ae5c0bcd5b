import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CompleteBackup } from '#shared/model/backup.ts';
import type { Save } from '#shared/model/volume.ts';
import { hasRestic } from '#test/support/backup/restic.ts';
import { call, openSftp } from '#test/support/files/sftp.ts';
import { connect, makePerson } from '#test/support/master/admin-master.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const LEVEL = '/volumes/survival/1/world/level.dat';

/** Packs a folder with one world into an archive. */
async function packedWorld(level: string): Promise<string> {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'server/world'), { recursive: true });
  await writeFile(join(folder, 'server/world/level.dat'), level);
  const archive = join(folder, 'world.tar');
  execFileSync('tar', ['-C', join(folder, 'server'), '-cf', archive, '.']);
  return archive;
}

/** Starts a master with the volume survival/1, a repository for its backups, and an SFTP session. */
async function aMaster() {
  const master = new MasterProcess(temporaryFolder(), { from: 26_640, to: 26_649 });
  onTestFinished(() => master.shutDown());
  const { host, port, hostKey } = await master.start();
  const cli = cliOf(master.data);
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await cli(...args);
    expect(code, err).toBe(0);
    return out;
  };
  await run('volume', 'import', 'survival/1', await packedWorld('saved'));
  await run('backup', 'configure', join(temporaryFolder(), 'repository'));
  const alice = makePerson('alice');
  await master.call('keys.add', { name: alice.name, role: 'files', publicKey: alice.publicKey });
  const client = await connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, alice);
  onTestFinished(() => void client.end());
  return { master, run, sftp: await openSftp(client) };
}

it.skipIf(!hasRestic)(
  'a backup does not interrupt an upload to a volume, and reports that it lacks the uploaded data (needs restic)',
  async () => {
    const { master, run, sftp } = await aMaster();
    const handle = await call<Buffer>((done) => sftp.open(LEVEL, 'w', done));
    const write = (text: string, at: number): Promise<void> =>
      call((done) => sftp.write(handle, Buffer.from(text), 0, text.length, at, done));
    await write('first', 0);

    const remark =
      /^Volume survival\/1 has changes over SFTP .* not in the backup: .*has a file open for writing/m;
    expect(await run('backup', 'run')).toMatch(remark);
    // The window shows these remarks.
    const { lastComplete } = await master.call('backup.get', {});
    expect(lastComplete?.remarks).toEqual([expect.stringMatching(remark)]);

    await write(', second', 5);
    await call((done) => sftp.close(handle, done));
    // These types describe the JSON output of the two commands.
    const made = JSON.parse(await run('backup', 'run', '--json')) as CompleteBackup;
    expect(made.remarks).toEqual([]);
    const [save] = JSON.parse(await run('volume', 'saves', 'survival/1', '--json')) as Save[];
    const saved = join(master.data, 'volumes/survival/1/saves', save?.save ?? '', 'world/level.dat');
    expect(await readFile(saved, 'utf8')).toBe('first, second');
  },
);
