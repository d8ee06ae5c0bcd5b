import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../build/scripts/paths.mjs';
import { expectedDuration, type Durations } from '../../runner/longest-first.ts';

const integration = (name: string) => `test/integration/${name}.test.ts`;

describe('the expected duration of a test file', () => {
  it('is the duration that was recorded before', () => {
    expect(expectedDuration(integration('a'), { [integration('a')]: 73 })).toBe(73);
  });

  it('is longer for a new integration test than for short integration tests and for unit tests', () => {
    const durations = { [integration('long')]: 60, [integration('short')]: 2 };
    const files = ['test/unit/new.test.ts', ...['short', 'new', 'long'].map(integration)];
    expect(files.toSorted((a, b) => expectedDuration(b, durations) - expectedDuration(a, durations))).toEqual(
      [...['long', 'new', 'short'].map(integration), 'test/unit/new.test.ts'],
    );
  });
});

describe('the recorded durations of test files', () => {
  it('include only integration tests, in whole seconds', () => {
    const recorded = JSON.parse(readFileSync(join(root, 'test/runner/durations.json'), 'utf8')) as Durations;
    const wrong = Object.entries(recorded).filter(
      ([file, seconds]) => !file.startsWith('test/integration/') || !Number.isInteger(seconds),
    );
    expect(Object.keys(recorded).length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});
