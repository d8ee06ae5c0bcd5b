import { describe, expect, it } from 'vitest';
import { rpcMessages, rpcRequests } from '#test/support/fuzz/targets/rpc.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe('messages of a hostile client of the admin API', () => {
  it(
    'are parsed as requests or fail with an error, and never result in more requests than permitted',
    timeoutFor(rpcMessages),
    async () => {
      expect(await fuzzInTest(rpcMessages)).toBeGreaterThan(0);
    },
  );

  it('are handled, or refused with an error of the RPC contract', timeoutFor(rpcRequests), async () => {
    expect(await fuzzInTest(rpcRequests)).toBeGreaterThan(0);
  });
});
