import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../../build/scripts/paths.mjs';

/** Recorded durations of test files (s), by path in the project. */
export type Durations = Readonly<Record<string, number>>;

/** Expected duration of an integration test file that was never recorded (s): longer than most. */
const UNKNOWN_INTEGRATION_TEST = 10;

/** How long a test file is expected to run (s). Unit tests without a record are expected to be short. */
export function expectedDuration(file: string, durations: Durations): number {
  return durations[file] ?? (file.startsWith('test/integration/') ? UNKNOWN_INTEGRATION_TEST : 0);
}

/**
 * Starts the longest test files first, so that workers beside each other end at about the same time. Vitest itself
 * knows only durations of earlier runs on the same clone.
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
