import { describe, expect, it } from 'vitest';
import { linkChunks, linkLines } from '#test/support/fuzz/targets/link.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe('each line that a hostile plugin sends', () => {
  it(
    'is accepted, refused, or recognised as a message of a newer version, within 100 ms',
    timeoutFor(linkLines),
    async () => {
      expect(await fuzzInTest(linkLines)).toBeGreaterThan(0);
    },
  );

  it('uses a limited amount of memory, however it is split into chunks', timeoutFor(linkChunks), async () => {
    expect(await fuzzInTest(linkChunks)).toBeGreaterThan(0);
  });
});
