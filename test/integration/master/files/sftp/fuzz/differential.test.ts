import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSftpServer, startSftpServer } from '#test/support/files/openssh-sftp-server.ts';
import { openRawSftp } from '#test/support/files/raw-sftp.ts';
import { runs } from '#test/support/fuzz/runs.ts';
import { measureStalls } from '#test/support/fuzz/stall-meter.ts';
import { connect, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { session, type Step } from './session-steps.ts';
import { fill, runOnBoth, treeOf, type Side } from './two-servers.ts';

/** Number of requests that the master gets. */
const PACKETS = runs({ change: 12_000, night: 600_000 });

let master: AdminMaster;
let client: Client;
beforeAll(async () => {
  master = await startAdminMaster();
  client = await connect(master, await master.authorize('operator'));
  client.setNoDelay(true);
});
afterAll(async () => {
  client.end();
  await master.close();
});

/** Opens a session on both servers, each in a folder of its own. */
async function bothSides(): Promise<readonly [Side, Side]> {
  const disk = join(master.folders.templates, 'lobby');
  mkdirSync(disk, { recursive: true });
  const other = temporaryFolder();
  return [
    { raw: await openRawSftp(client), at: '/templates/lobby/s', disk: join(disk, 's') },
    { raw: await startSftpServer(), at: join(other, 's'), disk: join(other, 's') },
  ];
}

async function compare(steps: readonly Step[], [ours, theirs]: readonly [Side, Side]): Promise<number> {
  fill(ours.disk);
  fill(theirs.disk);
  const packets = await runOnBoth(steps, ours, theirs);
  expect(treeOf(ours.disk)).toEqual(treeOf(theirs.disk));
  return packets;
}

describe.runIf(hasSftpServer)("the SFTP server, compared with OpenSSH's", () => {
  it(
    'answers random requests in the same way, leaves the same files, and never blocks for more than 100 ms',
    async () => {
      const sides = await bothSides();
      const memory = process.memoryUsage().rss;
      const stalls = measureStalls();
      let packets = 0;
      while (packets < PACKETS) {
        await fc.assert(
          fc.asyncProperty(session, async (steps) => {
            packets += await compare(steps, sides);
          }),
          { numRuns: 10 },
        );
      }
      expect(stalls.stop()).toBeLessThan(100);
      expect(process.memoryUsage().rss - memory).toBeLessThan(150 * 1_048_576);
    },
    Math.max(600_000, PACKETS * 10),
  );
});
