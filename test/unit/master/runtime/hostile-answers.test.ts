import { describe, expect, it } from 'vitest';
import { answerTargets } from '#test/support/fuzz/targets/answers.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe.each(answerTargets)('$name, written by a hostile sender,', (target) => {
  it('are read without an exception, within 100 ms', timeoutFor(target), async () => {
    expect(await fuzzInTest(target)).toBeGreaterThan(0);
  });
});
