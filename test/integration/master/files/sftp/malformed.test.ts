import { describe, expect, it } from 'vitest';
import { sftpMalformed } from '#test/support/fuzz/targets/sftp-malformed.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe('the SFTP server, after malformed packets,', () => {
  it(
    'closes the session, accesses no files outside of the jail, leaks no memory, and never blocks for over 100 ms',
    timeoutFor(sftpMalformed),
    async () => {
      expect(await fuzzInTest(sftpMalformed)).toBeGreaterThan(0);
    },
  );
});
