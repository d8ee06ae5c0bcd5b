import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { request, status } from '#master/files/sftp/protocol/protocol.ts';
import { field, openRawSftp } from '../../files/raw-sftp.ts';
import { connect, openSubsystem, startAdminMaster, type AdminMaster } from '../../master/admin-master.ts';
import { hostileSession } from '../sftp/malformed-packets.ts';
import { treeOf } from '../sftp/two-servers.ts';
import { checkStall, measureStalls } from '../stall-meter.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';

/** Text in a file outside of the jail. No answer may contain this text. */
const SECRET = 'canary-8f2b17';

/** Number of replaced folders to keep, because requests of closed sessions may still use them. */
const OLD_FOLDERS = 100;

/**
 * Checks that malformed packets cannot access anything outside of the jail, and that the server still answers at the
 * end. A session has about 30 packets.
 */
export const sftpMalformed: FuzzTarget = {
  name: 'malformed SFTP packets',
  runs: { change: 300, night: 15_000 },
  msPerRun: 400,
  mostGrowthMb: 150,
  async open() {
    const master = await startAdminMaster();
    const client = await connect(master, await master.authorize('operator'));
    client.setNoDelay(true);
    writeFileSync(join(master.data, 'config', 'secret'), SECRET, { mode: 0o600 });
    const outside = treeOf(join(master.data, 'config'));
    const stalls = measureStalls();
    let [packets, filled] = [0, 0];
    return {
      fuzz: fuzzer(hostileSession, async (sent) => {
        fillJail(master, filled);
        filled += 1;
        const answers = await answersTo(client, sent.bytes);
        packets += sent.packets;
        ok(!answers.includes(SECRET), 'an answer contains the secret');
        deepStrictEqual(treeOf(join(master.data, 'config')), outside);
      }),
      inputs: () => packets,
      close: async () => {
        const longest = stalls.stop();
        const { status: answer } = await (await openRawSftp(client)).ask(request.STAT, field('/nothing'));
        client.end();
        await master.close();
        strictEqual(answer, status.NO_SUCH_FILE);
        checkStall(longest);
      },
    };
  },
};

/**
 * Replaces the template's folder by a new folder with files, and with links that lead out of the jail. Moves the old
 * folder away instead of deleting it, because requests of a closed session may still run.
 */
function fillJail(master: AdminMaster, filled: number): void {
  const lobby = join(master.folders.templates, 'lobby');
  const next = join(master.data, 'next');
  mkdirSync(join(next, 'folder'), { recursive: true });
  writeFileSync(join(next, 'a'), 'content');
  symlinkSync('../../config', join(next, 'out'));
  symlinkSync('../../config/secret', join(next, 'out-file'));
  symlinkSync('/', join(next, 'slash'));
  symlinkSync('../..', join(next, 'up'));
  if (filled > 0) renameSync(lobby, join(master.data, `old-${filled}`));
  rmSync(join(master.data, `old-${filled - OLD_FOLDERS}`), { recursive: true, force: true });
  renameSync(next, lobby);
}

/** Sends only these bytes to a new session. Returns all answers once the master has closed the session. */
export async function answersTo(client: Client, bytes: Buffer): Promise<Buffer> {
  const channel = await openSubsystem(client, 'sftp');
  const answers: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => answers.push(chunk));
  channel.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => channel.on('close', () => resolve()));
  channel.end(bytes);
  await closed;
  return Buffer.concat(answers);
}
