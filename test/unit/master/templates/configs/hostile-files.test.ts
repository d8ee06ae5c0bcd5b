import { describe, expect, it } from 'vitest';
import { editorTargets } from '#test/support/fuzz/targets/editors.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe.each(editorTargets)('$name, for any file,', (target) => {
  it(
    "rejects the file, or changes only Overworld's settings, and nothing when applied again",
    timeoutFor(target),
    async () => {
      expect(await fuzzInTest(target)).toBeGreaterThan(0);
    },
  );
});
