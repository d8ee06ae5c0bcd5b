import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRawSftp } from '#test/support/files/raw-sftp.ts';
import { runs } from '#test/support/fuzz/runs.ts';
import { measureStalls } from '#test/support/fuzz/stall-meter.ts';
import {
  connect,
  openSubsystem,
  startAdminMaster,
  type AdminMaster,
} from '#test/support/master/admin-master.ts';
import { request, status } from '#master/files/sftp/protocol/protocol.ts';
import { field } from '#test/support/files/raw-sftp.ts';
import { hostileSession } from './malformed-packets.ts';
import { treeOf } from './two-servers.ts';

const SESSIONS = runs({ change: 300, night: 15_000 });

/** Text in the file outside of the jail. No answer may contain it. */
const SECRET = 'canary-8f2b17';

let master: AdminMaster;
let client: Client;
beforeAll(async () => {
  master = await startAdminMaster();
  client = await connect(master, await master.authorize('operator'));
  client.setNoDelay(true);
  writeFileSync(join(master.data, 'config', 'secret'), SECRET, { mode: 0o600 });
});
afterAll(async () => {
  client.end();
  await master.close();
});

let filled = 0;

/**
 * Replaces the template's folder by a new one with files, and with links that lead out of the jail. The requests of a
 * session that was closed may still run, so the old folder is moved away and not deleted.
 */
function fillJail(): void {
  const lobby = join(master.folders.templates, 'lobby');
  const next = join(master.data, 'next');
  mkdirSync(join(next, 'folder'), { recursive: true });
  writeFileSync(join(next, 'a'), 'content');
  symlinkSync('../../config', join(next, 'out'));
  symlinkSync('../../config/secret', join(next, 'out-file'));
  symlinkSync('/', join(next, 'slash'));
  symlinkSync('../..', join(next, 'up'));
  if (filled > 0) renameSync(lobby, join(master.data, `old-${filled}`));
  rmSync(join(master.data, `old-${filled - 100}`), { recursive: true, force: true });
  renameSync(next, lobby);
  filled += 1;
}

/** Sends bytes to a new session, and nothing more. Returns all answers once the master has closed the session. */
async function answersTo(bytes: Buffer): Promise<Buffer> {
  const channel = await openSubsystem(client, 'sftp');
  const answers: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => answers.push(chunk));
  channel.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => channel.on('close', () => resolve()));
  channel.end(bytes);
  await closed;
  return Buffer.concat(answers);
}

describe('the SFTP server, for malformed packets', () => {
  it(
    'closes each session, reaches nothing outside of the jail, keeps its memory, and never blocks for more than 100 ms',
    { timeout: 600_000 + SESSIONS * 200 },
    async () => {
      const outside = treeOf(join(master.data, 'config'));
      const before = process.memoryUsage().rss;
      const stalls = measureStalls();
      let packets = 0;
      await fc.assert(
        fc.asyncProperty(hostileSession, async (sent) => {
          fillJail();
          const answers = await answersTo(sent.bytes);
          packets += sent.packets;
          expect(answers.includes(SECRET)).toBe(false);
          expect(treeOf(join(master.data, 'config'))).toEqual(outside);
        }),
        { numRuns: SESSIONS },
      );
      const longest = stalls.stop();
      const grownMb = (process.memoryUsage().rss - before) / 1_048_576;
      process.stdout.write(
        `${packets} packets, longest stall ${longest.toFixed(0)} ms, memory +${grownMb.toFixed(0)} MB\n`,
      );
      expect(longest).toBeLessThan(100);
      expect(grownMb).toBeLessThan(150);
      const { status: answer } = await (await openRawSftp(client)).ask(request.STAT, field('/nothing'));
      expect(answer).toBe(status.NO_SUCH_FILE);
    },
  );
});
