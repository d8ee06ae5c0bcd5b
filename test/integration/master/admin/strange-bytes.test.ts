import { expect, it } from 'vitest';
import { sshPort } from '#test/support/fuzz/targets/ssh-port.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

it.runIf(process.platform === 'linux')(
  'the SSH port closes connections with invalid data, and an owner can still log in afterwards',
  timeoutFor(sshPort),
  async () => {
    expect(await fuzzInTest(sshPort)).toBeGreaterThan(0);
  },
);
