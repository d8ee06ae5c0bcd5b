import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../paths.mjs';

/**
 * Results of a test run.
 *
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} reasons one text for each failure that has a name: the name and the failure's message
 */

/** Number of lines of a failure's message in the summary. The whole message is further up in the output. */
export const reasonLines = 12;

/**
 * Adds up the results of several test runs.
 *
 * @param {readonly Tally[]} tallies
 * @returns {Tally}
 */
export function sum(tallies) {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
    reasons: tallies.flatMap(({ reasons }) => reasons),
  };
}

/**
 * Returns a tally of one failure with this reason.
 *
 * @param {string} reason
 * @returns {Tally}
 */
export function failure(reason) {
  return { passed: 0, failed: 1, reasons: [reason] };
}

/**
 * Prints the failures again, because often only the end of a long output is kept. Then prints the summary line that
 * ends every test run, and returns the exit code.
 *
 * @param {Tally} tally
 * @returns {number} 1 if anything failed or nothing ran, otherwise 0
 */
export function conclude({ passed, failed, reasons }) {
  if (reasons.length > 0) console.log(['', 'What failed:', ...reasons, ''].join('\n'));
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/**
 * Ensures that a broken run never counts as successful. If the report is missing, returns one failure. Otherwise adds
 * a failure for each error outside of tests. If there are no such errors and no test failed, adds one failure in two
 * cases: the exit code is not 0, or no test passed.
 *
 * @param {Tally | null} counted null if there is no readable report
 * @param {number | null} code the runner's exit code; null if it was killed
 * @param {readonly string[]} [outside] texts of the errors outside of tests
 * @returns {Tally}
 */
export function judge(counted, code, outside = []) {
  if (counted === null) return failure(`- tests ended with exit code ${code} and without a report`);
  if (outside.length > 0) {
    return sum([counted, ...outside.map((error) => failure(tell('outside of any test', [error])))]);
  }
  if (counted.failed > 0 || (code === 0 && counted.passed > 0)) return counted;
  return sum([
    counted,
    failure(`- no test failed, ${counted.passed} passed, but their run ended with exit code ${code}`),
  ]);
}

/**
 * A test file in Vitest's JSON report.
 *
 * @typedef {object} VitestFile
 * @property {string} name path of the file
 * @property {string} status
 * @property {string} [message] why the file could not be loaded
 * @property {{ status: string, fullName: string, failureMessages?: string[] }[]} assertionResults
 */

/**
 * Counts the results in a JSON report of Vitest. A file that could not be loaded has no tests and counts as one
 * failure.
 *
 * @param {string} file the report
 * @returns {Tally | null} null if there is no readable report
 */
export function countVitest(file) {
  /** @type {{ numPassedTests: number, numFailedTests: number, testResults: VitestFile[] } | null} */
  const report = readReport(file);
  if (report === null) return null;
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    reasons: [
      ...report.testResults.flatMap((tests) =>
        tests.assertionResults
          .filter(({ status }) => status === 'failed')
          .map((test) =>
            tell(`${relative(root, tests.name)} > ${test.fullName}`, test.failureMessages ?? []),
          ),
      ),
      ...broken.map(({ name, message }) => tell(relative(root, name), [message ?? ''])),
    ],
  };
}

/**
 * Returns the file that `test/runner/errors-outside-tests.ts` writes beside a JSON report of Vitest.
 *
 * @param {string} file the report
 * @returns {string}
 */
export function errorsReport(file) {
  return file.replace(/\.json$/, '-errors.json');
}

/**
 * Reads the errors outside of tests that Vitest found.
 *
 * @param {string} file the report
 * @returns {readonly string[]} empty if there is no readable file, for example after a crash
 */
export function errorsOutsideTests(file) {
  return readReport(errorsReport(file)) ?? [];
}

/**
 * Counts the results in a JSON report of Playwright. Flaky tests and errors outside of tests count as failures.
 *
 * @param {string} file the report
 * @returns {Tally | null} null if there is no readable report
 */
export function countPlaywright(file) {
  /** @type {{ stats: { expected: number, unexpected: number, flaky: number }, errors: { message?: string }[], suites: PlaywrightSuite[] } | null} */
  const report = readReport(file);
  if (report === null) return null;
  const { expected, unexpected, flaky } = report.stats;
  return {
    passed: expected,
    failed: unexpected + flaky + report.errors.length,
    reasons: [
      ...report.suites.flatMap(unexpectedOnes),
      ...report.errors.map(({ message }) => tell('outside of any test', [message ?? ''])),
    ],
  };
}

/**
 * A suite in Playwright's JSON report.
 *
 * @typedef {object} PlaywrightSuite
 * @property {string} file
 * @property {PlaywrightSuite[]} [suites]
 * @property {{ title: string, tests: { status: string, results: { errors: { message?: string }[] }[] }[] }[]}
 *   [specs]
 */

/**
 * Returns the failures of a suite and its inner suites as texts.
 *
 * @param {PlaywrightSuite} suite
 * @returns {string[]}
 */
function unexpectedOnes({ file, suites = [], specs = [] }) {
  const failed = specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ results }) =>
        tell(
          `${file} > ${title}`,
          results.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')),
        ),
      ),
  );
  return [...failed, ...suites.flatMap(unexpectedOnes)];
}

/**
 * Formats the failure of a test: its name and the first lines of its messages.
 *
 * @param {string} what
 * @param {readonly string[]} messages
 * @returns {string}
 */
function tell(what, messages) {
  const lines = stripVTControlCharacters(messages.join('\n')).trim().split('\n');
  return [`- ${what}`, ...lines.slice(0, reasonLines).map((line) => `    ${line}`)].join('\n');
}

/**
 * Reads a JSON report. Null if the file is missing or faulty.
 *
 * @param {string} file
 */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
