import { describe, expect, it } from 'vitest';
import { linkChunks, linkLines } from '#test/support/fuzz/targets/link.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe('lines of a hostile plugin', () => {
  it(
    'are each read as a valid message, recognised as a newer type, or refused, within 100 ms',
    timeoutFor(linkLines),
    async () => {
      expect(await fuzzInTest(linkLines)).toBeGreaterThan(0);
    },
  );

  it(
    'use at most the permitted memory, however they are split into chunks',
    timeoutFor(linkChunks),
    async () => {
      expect(await fuzzInTest(linkChunks)).toBeGreaterThan(0);
    },
  );
});
