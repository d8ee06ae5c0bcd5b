import { join } from 'node:path';
import { atOnce } from './at-once.mjs';
import { root } from './paths.mjs';
import { run } from './run.mjs';
import { runTests } from './tests/run-tests.mjs';
import { setUp } from './set-up/set-up.mjs';
import { SetupError } from './steps.mjs';
import { conclude, failure, reasonLines, sum } from './tests/count.mjs';

/** @typedef {import('./tests/count.mjs').Tally} Tally */

/**
 * A check of the source. `program` is the path of the check's program in its npm package, because starting each one
 * with npm would take seconds. With `gently`, the check runs with low priority and yields to the tests.
 *
 * @typedef {{ name: string, program: string, args: readonly string[], gently: boolean }} Check
 */

/** The source of the window. Its lint is a process of its own: together, both would need more than 4 GB of memory. */
const windowSource = ['renderer', 'test/unit/renderer'];

/**
 * The checks, the longest first. Lint takes minutes of one core, so it has normal priority. With low priority, it
 * would continue alone after the tests, while the other cores have nothing to do.
 *
 * @type {readonly Check[]}
 */
const checks = [
  {
    name: 'lint',
    program: 'eslint/bin/eslint.js',
    args: ['.', ...windowSource.map((folder) => `--ignore-pattern=${folder}`), '--max-warnings', '0'],
    gently: false,
  },
  {
    name: 'lint (window)',
    program: 'eslint/bin/eslint.js',
    args: [...windowSource, '--max-warnings', '0'],
    gently: false,
  },
  {
    name: 'arrows',
    program: 'dependency-cruiser/bin/dependency-cruise.mjs',
    args: ['master', 'main', 'shared', 'renderer'],
    gently: true,
  },
  { name: 'format', program: 'prettier/bin/prettier.cjs', args: ['--check', '.'], gently: true },
  { name: 'unused code', program: 'knip/bin/knip.js', args: [], gently: true },
  { name: 'types', program: 'typescript/bin/tsc', args: ['--noEmit'], gently: true },
  {
    name: 'svelte types',
    program: 'svelte-check/bin/svelte-check',
    args: ['--tsconfig', './tsconfig.renderer.json', '--fail-on-warnings'],
    gently: true,
  },
];

/** Number of checks that run at the same time: the number of cores of small machines. */
const checksAtOnce = 2;

/**
 * Runs everything that CI runs: set-up, format, lint, types, build, every test. Each check counts as one test. The last
 * line of output is `N passed, N failed`, even if the set-up fails.
 *
 * @returns {Promise<number>} exit code
 */
export async function verify() {
  /** @type {Tally[]} */
  const tallies = [];
  const ready = await attempt(() => setUp({ forTests: true }));
  if (ready) {
    const checked = runChecks();
    await attempt(async () => void tallies.push(await runTests()));
    tallies.unshift(await checked);
  }
  return conclude(sum(tallies));

  /**
   * Runs a step of the verification. A failure of the step counts as a failed test.
   *
   * @param {() => Promise<void>} work
   * @returns {Promise<boolean>} false if the step failed
   */
  async function attempt(work) {
    try {
      await work();
      return true;
    } catch (error) {
      console.error(error instanceof SetupError ? `overworld: ${error.message}` : error);
      tallies.push(failure(`- ${error instanceof Error ? error.message : String(error)}`));
      return false;
    }
  }
}

/** Runs the checks while the tests run. @returns {Promise<Tally>} */
async function runChecks() {
  return sum(await atOnce(checks, checksAtOnce, runCheck));
}

/**
 * Runs one check and prints its result.
 *
 * @param {Check} check
 * @returns {Promise<Tally>}
 */
async function runCheck({ name, program, args, gently }) {
  const since = performance.now();
  const { code, output } = await run(process.execPath, [join(root, 'node_modules', program), ...args], {
    gently,
  });
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  console.log(`${name.padEnd(16)}${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (code === 0) return { passed: 1, failed: 0, reasons: [] };
  console.log(output.trim());
  return failure([`- ${name}`, ...output.trim().split('\n').slice(-reasonLines)].join('\n    '));
}
