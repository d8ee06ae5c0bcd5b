import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDisplay } from './display.mjs';
import { electronRuntime } from './electron-runtime.mjs';
import { prepareLab } from './lab/prepare.mjs';
import { runInLab } from './lab/enter.mjs';
import { root, testResults } from './paths.mjs';
import { run } from './run.mjs';
import { setUp } from './set-up.mjs';
import { SetupError } from './steps.mjs';
import { conclude, countPlaywright, countVitest, failure, judge, sum } from './tally.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */

/** Projects of vitest.config.ts that run where we are; `lab` runs in a network of its own. */
const vitestGroups = ['unit', 'renderer', 'integration'];

const groups = [...vitestGroups, 'e2e', 'lab'];

/** Booted nodes that hang must not hold a build server for ever. The lab's own goal is 12 minutes. */
const labTimeoutMs = 25 * 60_000;

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
  const projects = names.filter((name) => vitestGroups.includes(name));
  const tallies = [];
  // Its image takes a minute or two of waiting for a mirror: made beside the first tests.
  const lab = names.includes('lab') ? settled(prepareLab()) : null;
  if (projects.length > 0) tallies.push(await runVitest(projects, filters));
  if (names.includes('e2e')) tallies.push(await runPlaywright(filters));
  if (lab !== null) tallies.push(await runLab(filters, { preparing: lab, mustRun: names.length === 1 }));
  return sum(tallies);
}

/**
 * Keeps a failure for whoever waits, later.
 *
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<PromiseSettledResult<T>>}
 */
async function settled(work) {
  const [result] = await Promise.allSettled([work]);
  return result;
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
  const { code } = await run(process.execPath, vitest(projects, report, filters), { show: true });
  return judge(countVitest(report), code);
}

/**
 * The tests on booted nodes. A machine that cannot have these says why; that is an error only when they were asked for.
 *
 * @param {readonly string[]} filters
 * @param {{ preparing: Promise<PromiseSettledResult<string | null>>, mustRun: boolean }} options
 * @returns {Promise<Tally>}
 * @throws {SetupError}
 */
async function runLab(filters, { preparing, mustRun }) {
  const prepared = await preparing;
  if (prepared.status === 'rejected') {
    const error = /** @type {unknown} */ (prepared.reason);
    // What has passed before it counts all the same.
    if (mustRun || !(error instanceof SetupError)) throw error;
    console.error(`lab             not set up: ${error.message}`);
    return failure(`- lab: ${error.message}`);
  }
  const obstacle = prepared.value;
  if (obstacle !== null && mustRun) throw new SetupError(`The lab cannot run on this machine: ${obstacle}.`);
  if (obstacle !== null) {
    console.log(`lab             skipped: ${obstacle}`);
    return sum([]);
  }
  const report = join(testResults, 'vitest-lab.json');
  rmSync(report, { force: true });
  const code = await runInLab(process.execPath, vitest(['lab'], report, filters), {
    timeoutMs: labTimeoutMs,
  });
  return judge(countVitest(report), code);
}

/**
 * @param {readonly string[]} projects
 * @param {string} report file for the results
 * @param {readonly string[]} filters
 * @returns {string[]} arguments for Node
 */
function vitest(projects, report, filters) {
  return [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ];
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
