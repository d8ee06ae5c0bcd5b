import { describe, expect, it } from 'vitest';
import { sftpMalformed } from '#test/support/fuzz/targets/sftp-malformed.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe('the SFTP server, for malformed packets', () => {
  it(
    'closes each session, accesses nothing outside of the jail, leaks no memory, and never blocks for more than 100 ms',
    timeoutFor(sftpMalformed),
    async () => {
      expect(await fuzzInTest(sftpMalformed)).toBeGreaterThan(0);
    },
  );
});
