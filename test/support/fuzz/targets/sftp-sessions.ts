import { deepStrictEqual } from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSftpServer } from '../../files/openssh-sftp-server.ts';
import { openRawSftp } from '../../files/raw-sftp.ts';
import { connect, startAdminMaster } from '../../master/admin-master.ts';
import { session } from '../sftp/session-steps.ts';
import { fill, runOnBoth, treeOf, type Side } from '../sftp/two-servers.ts';
import { checkStall, measureStalls } from '../stall-meter.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';

/**
 * Checks that a session gets the same answers from our SFTP server and from OpenSSH's server, and results in the same
 * files. Needs OpenSSH's server. A session has about 40 packets.
 */
export const sftpSessions: FuzzTarget = {
  name: "SFTP packets, compared with OpenSSH's server",
  runs: { change: 300, night: 15_000 },
  msPerRun: 400,
  mostGrowthMb: 150,
  async open() {
    const master = await startAdminMaster();
    const client = await connect(master, await master.authorize('operator'));
    client.setNoDelay(true);
    const openSsh = await startSftpServer();
    const disk = join(master.folders.templates, 'lobby');
    mkdirSync(disk, { recursive: true });
    const other = await mkdtemp(join(tmpdir(), 'overworld-fuzz-'));
    const ours: Side = { raw: await openRawSftp(client), at: '/templates/lobby/s', disk: join(disk, 's') };
    const theirs: Side = { raw: openSsh.raw, at: join(other, 's'), disk: join(other, 's') };
    const stalls = measureStalls();
    let packets = 0;
    return {
      fuzz: fuzzer(session, async (steps) => {
        fill(ours.disk);
        fill(theirs.disk);
        packets += await runOnBoth(steps, ours, theirs);
        deepStrictEqual(treeOf(ours.disk), treeOf(theirs.disk));
      }),
      inputs: () => packets,
      close: async () => {
        const longest = stalls.stop();
        client.end();
        openSsh.close();
        await master.close();
        await rm(other, { recursive: true, force: true });
        checkStall(longest);
      },
    };
  },
};
