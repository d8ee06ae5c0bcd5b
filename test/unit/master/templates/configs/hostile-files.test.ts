import { describe, expect, it } from 'vitest';
import { editorTargets } from '#test/support/fuzz/targets/editors.ts';
import { fuzzInTest, timeoutFor } from '#test/support/fuzz/runs.ts';

describe.each(editorTargets)('$name, for any file', (target) => {
  it(
    'refuses it, or sets its own values and no others, and then changes nothing more',
    timeoutFor(target),
    async () => {
      expect(await fuzzInTest(target)).toBeGreaterThan(0);
    },
  );
});
