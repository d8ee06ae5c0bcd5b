import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 */

/** @param {readonly Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    failed: tallies.reduce((total, { failed }) => total + failed, 0),
  };
}

/**
 * Prints the line that ends every test run, and gives the exit code that goes with it.
 *
 * @param {Tally} tally
 * @returns {number} 1 when anything failed or nothing ran at all
 */
export function conclude({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/**
 * Makes sure that a run that went wrong is never counted as right: no report, nothing run, or an exit code that
 * the counted tests do not explain (a crash, an error outside of any test) is one failure.
 *
 * @param {Tally | null} counted null when there is no readable report
 * @param {number | null} code the runner's exit code
 * @returns {Tally}
 */
export function judge(counted, code) {
  if (counted === null) return { passed: 0, failed: 1 };
  const silent = counted.failed === 0 && (code !== 0 || counted.passed === 0);
  return silent ? { ...counted, failed: 1 } : counted;
}

/**
 * Counts a Vitest JSON report. A file that could not be loaded has no tests and counts as one failure.
 *
 * @param {string} file
 * @returns {Tally | null}
 */
export function countVitest(file) {
  /** @type {{ numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] } | null} */
  const report = readReport(file);
  if (report === null) return null;
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}

/**
 * Counts a Playwright JSON report. Errors outside of tests count as failures.
 *
 * @param {string} file
 * @returns {Tally | null}
 */
export function countPlaywright(file) {
  /** @type {{ stats: { expected: number, unexpected: number, flaky: number }, errors: unknown[] } | null} */
  const report = readReport(file);
  if (report === null) return null;
  const { expected, unexpected, flaky } = report.stats;
  return { passed: expected, failed: unexpected + flaky + report.errors.length };
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
