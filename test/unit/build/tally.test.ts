import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countPlaywright, countVitest, judge, sum } from '../../../build/scripts/tally.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

function report(content: unknown): string {
  const file = join(temporaryFolder(), 'report.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const passing = { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] };

describe('counting a Vitest report', () => {
  it('takes the tests as they are', () => {
    const failing = { status: 'failed', assertionResults: [{ status: 'failed' }] };
    const file = report({ numPassedTests: 2, numFailedTests: 1, testResults: [passing, failing] });
    expect(countVitest(file)).toEqual({ passed: 2, failed: 1 });
  });

  it('counts a file that could not be loaded as one failure', () => {
    const broken = { status: 'failed', assertionResults: [] };
    const file = report({ numPassedTests: 2, numFailedTests: 0, testResults: [passing, broken] });
    expect(countVitest(file)).toEqual({ passed: 2, failed: 1 });
  });

  it('counts a file whose hooks failed after its tests had passed', () => {
    const hook = { status: 'failed', assertionResults: [{ status: 'passed' }] };
    const file = report({ numPassedTests: 1, numFailedTests: 0, testResults: [hook] });
    expect(countVitest(file)).toEqual({ passed: 1, failed: 1 });
  });

  it('has nothing to say about a report that is missing or broken off', () => {
    expect(countVitest(join(temporaryFolder(), 'none.json'))).toBeNull();
    expect(countVitest(report('{"numPassedTests": 2'))).toBeNull();
  });
});

describe('counting a Playwright report', () => {
  it('counts flaky tests and errors outside of tests as failures, skipped ones not at all', () => {
    const stats = { expected: 3, unexpected: 1, flaky: 1, skipped: 4 };
    expect(countPlaywright(report({ stats, errors: [{ message: 'no worker' }] }))).toEqual({
      passed: 3,
      failed: 3,
    });
  });
});

describe('judging a run', () => {
  it.each([
    { case: 'all passed', counted: { passed: 3, failed: 0 }, code: 0, want: { passed: 3, failed: 0 } },
    { case: 'some failed', counted: { passed: 3, failed: 2 }, code: 1, want: { passed: 3, failed: 2 } },
    {
      case: 'an error outside of any test',
      counted: { passed: 3, failed: 0 },
      code: 1,
      want: { passed: 3, failed: 1 },
    },
    {
      case: 'killed after its report',
      counted: { passed: 3, failed: 0 },
      code: null,
      want: { passed: 3, failed: 1 },
    },
    { case: 'nothing ran', counted: { passed: 0, failed: 0 }, code: 0, want: { passed: 0, failed: 1 } },
    { case: 'no report', counted: null, code: 0, want: { passed: 0, failed: 1 } },
  ])('$case', ({ counted, code, want }) => {
    expect(judge(counted, code)).toEqual(want);
  });

  it('adds up runs', () => {
    expect(
      sum([
        { passed: 1, failed: 2 },
        { passed: 3, failed: 4 },
      ]),
    ).toEqual({ passed: 4, failed: 6 });
    expect(sum([])).toEqual({ passed: 0, failed: 0 });
  });
});
