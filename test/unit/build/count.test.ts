import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { root } from '../../../build/scripts/paths.mjs';
import {
  conclude,
  countPlaywright,
  countVitest,
  errorsOutsideTests,
  errorsReport,
  judge,
  sum,
} from '../../../build/scripts/tests/count.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

function report(content: unknown): string {
  const file = join(temporaryFolder(), 'report.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

afterEach(() => {
  vi.restoreAllMocks();
});

const passing = { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] };

const broken = {
  name: join(root, 'test/unit/b.test.ts'),
  status: 'failed',
  message: 'no such module',
  assertionResults: [],
};

describe('the summary of a Vitest report', () => {
  it('contains the numbers of passed and failed tests, and the reasons for failures', () => {
    const failing = {
      name: join(root, 'test/unit/a.test.ts'),
      status: 'failed',
      assertionResults: [
        { status: 'passed', fullName: 'adds up' },
        {
          status: 'failed',
          fullName: 'halves',
          failureMessages: ['\u001b[31mexpected 2\u001b[39m\nto be 1'],
        },
      ],
    };
    const file = report({ numPassedTests: 3, numFailedTests: 1, testResults: [passing, failing] });
    expect(countVitest(file)).toEqual({
      passed: 3,
      failed: 1,
      reasons: ['- test/unit/a.test.ts > halves\n    expected 2\n    to be 1'],
    });
  });

  it('counts a file that could not be loaded as one failure', () => {
    const file = report({ numPassedTests: 2, numFailedTests: 0, testResults: [passing, broken] });
    const reasons = ['- test/unit/b.test.ts\n    no such module'];
    expect(countVitest(file)).toEqual({ passed: 2, failed: 1, reasons });
  });

  it('counts one failure if a hook fails after all tests of a file passed', () => {
    const hook = {
      ...broken,
      message: 'hook',
      assertionResults: [{ status: 'passed', fullName: 'adds up' }],
    };
    const file = report({ numPassedTests: 1, numFailedTests: 0, testResults: [hook] });
    expect(countVitest(file)).toEqual({ passed: 1, failed: 1, reasons: ['- test/unit/b.test.ts\n    hook'] });
  });

  it('is null for a missing or truncated report file', () => {
    expect(countVitest(join(temporaryFolder(), 'none.json'))).toBeNull();
    expect(countVitest(report('{"numPassedTests": 2'))).toBeNull();
  });
});

describe('the summary of a Playwright report', () => {
  it('counts flaky tests and errors outside of tests as failures, and does not count skipped tests', () => {
    const stats = { expected: 3, unexpected: 1, flaky: 1, skipped: 4 };
    const test = (status: string, message?: string) => ({
      title: `is ${status}`,
      tests: [{ status, results: [{ errors: message === undefined ? [] : [{ message }] }] }],
    });
    const suites = [
      {
        file: 'a.spec.ts',
        specs: [test('expected'), test('unexpected', 'too late')],
        suites: [{ file: 'a.spec.ts', specs: [test('flaky', 'once')] }],
      },
    ];
    expect(countPlaywright(report({ stats, suites, errors: [{ message: 'no worker' }] }))).toEqual({
      passed: 3,
      failed: 3,
      reasons: [
        '- a.spec.ts > is unexpected\n    too late',
        '- a.spec.ts > is flaky\n    once',
        '- outside of any test\n    no worker',
      ],
    });
  });
});

describe('the result of a test run', () => {
  it.each([
    { case: 'all passed', passed: 3, failed: 0, code: 0, want: { passed: 3, failed: 0, reasons: [] } },
    { case: 'some failed', passed: 3, failed: 2, code: 1, want: { passed: 3, failed: 2, reasons: [] } },
    {
      case: 'an error outside of any test',
      passed: 3,
      failed: 0,
      code: 1,
      want: { passed: 3, failed: 1, reasons: [expect.stringContaining('exit code 1')] },
    },
    {
      case: 'killed after its report',
      passed: 3,
      failed: 0,
      code: null,
      want: { passed: 3, failed: 1, reasons: [expect.stringContaining('null')] },
    },
    {
      case: 'nothing ran',
      passed: 0,
      failed: 0,
      code: 0,
      want: { passed: 0, failed: 1, reasons: [expect.stringContaining('0 passed')] },
    },
  ])(
    'contains the correct numbers of passed and failed tests in the case: $case',
    ({ passed, failed, code, want }) => {
      expect(judge({ passed, failed, reasons: [] }, code)).toEqual(want);
    },
  );

  it('counts one failure for each error outside of tests', () => {
    const file = report({});
    writeFileSync(errorsReport(file), JSON.stringify(['during a.test.ts\nError: left alone', 'Error: late']));
    expect(judge({ passed: 3, failed: 1, reasons: ['- a'] }, 1, errorsOutsideTests(file))).toEqual({
      passed: 3,
      failed: 3,
      reasons: [
        '- a',
        '- outside of any test\n    during a.test.ts\n    Error: left alone',
        '- outside of any test\n    Error: late',
      ],
    });
  });

  it('has 0 failures outside of tests if Vitest reported no such failure', () => {
    expect(errorsOutsideTests(report({}))).toEqual([]);
  });

  it('counts one failure if there is no report', () => {
    expect(judge(null, 0)).toEqual({
      passed: 0,
      failed: 1,
      reasons: [expect.stringContaining('without a report')],
    });
  });

  it('is the sum of the results of several test programs', () => {
    expect(
      sum([
        { passed: 1, failed: 2, reasons: ['- a'] },
        { passed: 3, failed: 4, reasons: ['- b'] },
      ]),
    ).toEqual({ passed: 4, failed: 6, reasons: ['- a', '- b'] });
    expect(sum([])).toEqual({ passed: 0, failed: 0, reasons: [] });
  });
});

describe('the last lines that a test run prints', () => {
  it('list the failures, and then the number of tests', () => {
    const said = vi.spyOn(console, 'log').mockReturnValue();
    expect(conclude({ passed: 1, failed: 1, reasons: ['- a.test.ts > halves\n    expected 2'] })).toBe(1);
    expect(conclude({ passed: 1, failed: 0, reasons: [] })).toBe(0);
    expect(said.mock.calls.map(([text]) => String(text))).toEqual([
      '\nWhat failed:\n- a.test.ts > halves\n    expected 2\n',
      '1 passed, 1 failed',
      '1 passed, 0 failed',
    ]);
  });
});
