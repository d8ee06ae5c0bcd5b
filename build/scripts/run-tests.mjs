import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDisplay } from './display.mjs';
import { electronRuntime } from './electron-runtime.mjs';
import { root, testResults } from './paths.mjs';
import { run } from './run.mjs';
import { setUp } from './set-up.mjs';
import { SetupError } from './steps.mjs';
import { conclude, countPlaywright, countVitest, judge, sum } from './tally.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */

/** The projects of vitest.config.ts. */
const vitestGroups = ['unit', 'renderer', 'integration', 'lab'];

const groups = [...vitestGroups, 'e2e'];

/**
 * `npm test`: sets up and runs all tests, or those of one group.
 *
 * @param {readonly string[]} args nothing, or a group and what its runner should filter by
 * @returns {Promise<number>} exit code
 * @throws {SetupError}
 */
export async function test([group, ...filters]) {
  if (group !== undefined && !groups.includes(group)) {
    throw new SetupError(`There are no tests "${group}"; the groups are ${groups.join(', ')}.`);
  }
  if (group === 'lab' && !hasLabTests()) {
    console.log('no lab tests yet');
    return 0;
  }
  await setUp({ forTests: true });
  return conclude(await runTests(group === undefined ? groups : [group], filters));
}

/**
 * Runs groups of tests in an installation that is set up, showing their output.
 *
 * @param {readonly string[]} [names]
 * @param {readonly string[]} [filters]
 * @returns {Promise<Tally>}
 */
export async function runTests(names = groups, filters = []) {
  console.log(`${'versions'.padEnd(16)}Node ${process.versions.node}, Electron ${electronRuntime().version}`);
  mkdirSync(testResults, { recursive: true });
  const projects = names.filter((name) => vitestGroups.includes(name) && (name !== 'lab' || hasLabTests()));
  const tallies = [];
  if (projects.length > 0) tallies.push(await runVitest(projects, filters));
  if (names.includes('e2e')) tallies.push(await runPlaywright(filters));
  return sum(tallies);
}

/** Lab tests need more than a plain machine gives; there are none until the first is written. */
function hasLabTests() {
  try {
    return readdirSync(join(root, 'test', 'lab'), { recursive: true }).some((name) =>
      String(name).endsWith('.test.ts'),
    );
  } catch {
    return false;
  }
}

/**
 * All projects in one run: starting Vitest costs as much as many a test.
 *
 * @param {readonly string[]} projects
 * @param {readonly string[]} filters
 * @returns {Promise<Tally>}
 */
async function runVitest(projects, filters) {
  const report = join(testResults, 'vitest.json');
  rmSync(report, { force: true });
  const { code } = await run(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...filters,
    ],
    { show: true },
  );
  return judge(countVitest(report), code);
}

/** @param {readonly string[]} filters @returns {Promise<Tally>} */
async function runPlaywright(filters) {
  const report = join(testResults, 'playwright.json');
  rmSync(report, { force: true });
  const display = await openDisplay();
  try {
    const cli = join(root, 'node_modules', 'playwright', 'cli.js');
    const config = join(root, 'test', 'e2e', 'playwright.config.ts');
    const { code } = await run(process.execPath, [cli, 'test', '-c', config, ...filters], {
      show: true,
      env: { ...process.env, ...display.env },
    });
    return judge(countPlaywright(report), code);
  } finally {
    display.stop();
  }
}
