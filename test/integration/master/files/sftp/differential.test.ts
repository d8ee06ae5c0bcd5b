import { describe, expect, it } from 'vitest';
import { hasSftpServer } from '#test/support/files/openssh-sftp-server.ts';
import { sftpSessions } from '#test/support/fuzz/targets/sftp-sessions.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe.runIf(hasSftpServer)('the SFTP server, compared with the server of OpenSSH,', () => {
  it(
    'gives the same answers to random requests, leaves the same files, and never blocks for more than 100 ms',
    timeoutFor(sftpSessions),
    async () => {
      expect(await fuzzInTest(sftpSessions)).toBeGreaterThan(0);
    },
  );
});
