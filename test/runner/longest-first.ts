import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../../build/scripts/paths.mjs';

/** Recorded durations of test files (s), by path in the project. */
export type Durations = Readonly<Record<string, number>>;

/**
 * Expected duration of an integration test file without a recorded duration (s). It is longer than most durations.
 */
const UNKNOWN_INTEGRATION_TEST = 10;

/** Returns the expected duration of a test file (s): 0 for a unit test without a recorded duration. */
export function expectedDuration(file: string, durations: Durations): number {
  return durations[file] ?? (file.startsWith('test/integration/') ? UNKNOWN_INTEGRATION_TEST : 0);
}

/**
 * Starts the longest test files first, so that parallel workers finish at about the same time. Vitest itself only
 * knows the durations of earlier runs in the same clone.
 */
export class LongestFirst extends BaseSequencer {
  private readonly durations = JSON.parse(
    readFileSync(join(root, 'test', 'runner', 'durations.json'), 'utf8'),
  ) as Durations;

  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const expected = ({ moduleId }: TestSpecification) =>
      expectedDuration(relative(root, moduleId).replaceAll('\\', '/'), this.durations);
    return Promise.resolve(files.toSorted((a, b) => expected(b) - expected(a)));
  }
}
