import { describe, expect, it } from 'vitest';
import { rpcMessages, rpcRequests } from '#test/support/fuzz/targets/rpc.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe('messages of a hostile client of the admin API', () => {
  it(
    'are parsed or rejected, and never produce more requests than the limit',
    timeoutFor(rpcMessages),
    async () => {
      expect(await fuzzInTest(rpcMessages)).toBeGreaterThan(0);
    },
  );

  it('are handled, or rejected with an error code of the API', timeoutFor(rpcRequests), async () => {
    expect(await fuzzInTest(rpcRequests)).toBeGreaterThan(0);
  });
});
