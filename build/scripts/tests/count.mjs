import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../paths.mjs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} reasons what failed and how it said so, one text for each failure that has a name
 */

/** Number of lines of a failure's message in the summary. The whole message is further up in the output. */
export const reasonLines = 12;

/** @param {readonly Tally[]} tallies @returns {Tally} */
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
 * Repeats the failures (of a long output often only the end is kept), prints the last line of every test run, and
 * returns the exit code.
 *
 * @param {Tally} tally
 * @returns {number} 1 if anything failed or nothing ran
 */
export function conclude({ passed, failed, reasons }) {
  if (reasons.length > 0) console.log(['', 'What failed:', ...reasons, ''].join('\n'));
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/**
 * Ensures that a broken run never counts as successful: a missing report, an empty run, or an exit code that the
 * counted tests do not explain (a crash, an error outside of tests) is one failure.
 *
 * @param {Tally | null} counted null if there is no readable report
 * @param {number | null} code the runner's exit code
 * @returns {Tally}
 */
export function judge(counted, code) {
  if (counted === null) return failure(`- tests ended with exit code ${code} and without a report`);
  if (counted.failed > 0 || (code === 0 && counted.passed > 0)) return counted;
  return sum([
    counted,
    failure(`- no test failed, ${counted.passed} passed, but their run ended with exit code ${code}`),
  ]);
}

/**
 * @typedef {object} VitestFile
 * @property {string} name its path
 * @property {string} status
 * @property {string} [message] why it could not be loaded
 * @property {{ status: string, fullName: string, failureMessages?: string[] }[]} assertionResults
 */

/**
 * Counts a Vitest JSON report. A file that could not be loaded has no tests and counts as one failure.
 *
 * @param {string} file
 * @returns {Tally | null}
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
 * Counts a Playwright JSON report. Errors outside of tests count as failures.
 *
 * @param {string} file
 * @returns {Tally | null}
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
 * @typedef {object} PlaywrightSuite
 * @property {string} file
 * @property {PlaywrightSuite[]} [suites]
 * @property {{ title: string, tests: { status: string, results: { errors: { message?: string }[] }[] }[] }[]} [specs]
 */

/** @param {PlaywrightSuite} suite @returns {string[]} */
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

/** @param {string} what @param {readonly string[]} messages @returns {string} */
function tell(what, messages) {
  const lines = stripVTControlCharacters(messages.join('\n')).trim().split('\n');
  return [`- ${what}`, ...lines.slice(0, reasonLines).map((line) => `    ${line}`)].join('\n');
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
