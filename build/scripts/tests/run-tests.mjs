import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { atOnce } from '../at-once.mjs';
import { openDisplay } from '../display.mjs';
import { electronRuntime } from '../electron/runtime.mjs';
import { prepareLab } from '../lab/prepare.mjs';
import { runInLab } from '../lab/enter.mjs';
import { hasOwnNetworks } from './own-network.mjs';
import { root, testResults } from '../paths.mjs';
import { run } from '../run.mjs';
import { setUp } from '../set-up/set-up.mjs';
import { SetupError } from '../steps.mjs';
import {
  conclude,
  countPlaywright,
  countVitest,
  errorsOutsideTests,
  errorsReport,
  failure,
  judge,
  sum,
} from './count.mjs';

/** @typedef {import('./count.mjs').Tally} Tally */

/**
 * Projects of vitest.config.ts that one Vitest runs directly. The project `lab` runs separately, in a network of its
 * own.
 */
const vitestGroups = ['unit', 'renderer', 'integration'];

const groups = [...vitestGroups, 'e2e', 'lab'];

/** Tests of `npm run test:quick`, which take about a minute. */
const quickTests = ['test/unit/', 'test/integration/master/boot/first-story.test.ts'];

/**
 * Time limit of a runner (ms). Each test has its own time limit, but a runner that hangs must not block a build server.
 * Fuzzers, races and chaos take hours at night. A slow or busy machine may need more, too.
 */
const runnerTimeoutMs = minutes() * 60_000;

function minutes() {
  const given = process.env['OVERWORLD_TEST_MINUTES'] ?? '';
  if (/^[1-9]\d{0,4}$/.test(given)) return Number(given);
  return process.env['OVERWORLD_NIGHTLY'] === '1' ? 170 : 85;
}

/**
 * Number of runners that run beside each other. With three of them on two cores, each test takes four to six times as
 * long as by itself, and everything that happens at intervals wastes a third of the processor time. On machines where
 * tests cannot have networks of their own, parallel tests would use the same ports, so only one runs there.
 */
const runnersAtOnce = Math.max(2, availableParallelism());

/**
 * `npm test`: sets up and runs all tests, those of one group, or `quick`.
 *
 * @param {readonly string[]} args none, or a group and filters for its runner
 * @returns {Promise<number>} exit code
 * @throws {SetupError}
 */
export async function test([group, ...filters]) {
  if (group !== undefined && group !== 'quick' && !groups.includes(group)) {
    throw new SetupError(`There are no tests "${group}"; the groups are ${groups.join(', ')}, quick.`);
  }
  await setUp({ forTests: true });
  if (group === 'quick') return conclude(await runTests(['unit', 'integration'], quickTests));
  return conclude(await runTests(group === undefined ? groups : [group], filters));
}

/**
 * Runs groups of tests in a prepared installation and shows their output.
 *
 * @param {readonly string[]} [names] names of the groups; default: all
 * @param {readonly string[]} [filters] filters of test files for the runners; if empty, all files of the groups
 * @returns {Promise<Tally>}
 */
export async function runTests(names = groups, filters = []) {
  console.log(`${'versions'.padEnd(16)}Node ${process.versions.node}, Electron ${electronRuntime().version}`);
  mkdirSync(testResults, { recursive: true });
  // The lab's image is made during the first tests, because most of that time (a minute or two) is spent waiting for a
  // mirror.
  const lab = names.includes('lab') ? settled(prepareLab()) : null;
  /** @type {Runner[]} */
  const runners = [];
  if (lab !== null) {
    const mustRun = names.length === 1;
    runners.push({ name: 'lab', start: (show) => runLab(filters, { ...show, preparing: lab, mustRun }) });
  }
  if (names.includes('e2e')) runners.push({ name: 'e2e', start: (show) => runPlaywright(filters, show) });
  // Beside the runners above, the integration tests and all others run separately, so that all runners end at about
  // the same time.
  const vitestRuns = runners.length > 0 ? [['integration'], ['unit', 'renderer']] : [vitestGroups];
  for (const together of vitestRuns) {
    const projects = together.filter((name) => names.includes(name));
    const [name] = projects;
    if (name !== undefined) runners.push({ name, start: (show) => runVitest(projects, filters, show) });
  }
  const [only, ...more] = runners;
  if (only === undefined) return sum([]);
  if (more.length === 0) return only.start({});
  /** @type {string[]} */
  const durations = [];
  const most = hasOwnNetworks() ? runnersAtOnce : 1;
  const tallies = await atOnce(runners, most, (runner) => runLabelled(runner, durations));
  console.log(`durations       ${durations.join(', ')} (${availableParallelism()} cores, ${most} at a time)`);
  return sum(tallies);
}

/**
 * A program that runs some of the tests.
 *
 * @typedef {object} Runner
 * @property {string} name
 * @property {(show: { label?: string }) => Promise<Tally>} start `label`: prefix of each line of its output
 */

/**
 * Runs one of several runners. A runner that cannot start counts as one failure. The results of the other runners still
 * count.
 *
 * @param {Runner} runner
 * @param {string[]} durations the duration of the runner is added to it, such as `lab 31.5 min`
 */
async function runLabelled({ name, start }, durations) {
  const since = performance.now();
  const label = `${name.padEnd(12)}|`;
  try {
    return await start({ label });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(
      `${label} ${error instanceof SetupError ? message : (error instanceof Error && error.stack) || message}`,
    );
    return failure(`- ${name}: ${message}`);
  } finally {
    durations.push(`${name} ${((performance.now() - since) / 60_000).toFixed(1)} min`);
    console.log(`${label} finished`);
  }
}

/**
 * Turns the outcome of a promise into a result, so that a failure that is not awaited yet does not end the process.
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
 * Runs projects in one Vitest, because starting Vitest costs as much as many tests.
 *
 * @param {readonly string[]} projects
 * @param {readonly string[]} filters
 * @param {{ label?: string }} show `label`: set if other runners run beside this one
 * @returns {Promise<Tally>}
 */
async function runVitest(projects, filters, show) {
  const report = newReport(projects.includes('integration') ? 'vitest.json' : 'vitest-unit.json');
  // The other runners keep the cores busy while a test waits. On a machine with much more work than cores, everything
  // that happens at intervals takes a larger part of the time.
  const workers = show.label === undefined ? [] : [`--maxWorkers=${availableParallelism()}`];
  const args = [...vitest(projects, report, filters), ...workers];
  const { code } = await run(process.execPath, args, { show: true, timeoutMs: runnerTimeoutMs, ...show });
  return judge(countVitest(report), code, errorsOutsideTests(report));
}

/**
 * Runs the tests on booted nodes. If this machine cannot boot nodes, prints the reason. The lack of nodes is an error
 * only if a person has asked for these tests.
 *
 * @param {readonly string[]} filters
 * @param {{ preparing: Promise<PromiseSettledResult<string | null>>, mustRun: boolean, label?: string }} options
 * @returns {Promise<Tally>}
 * @throws {SetupError}
 */
async function runLab(filters, { preparing, mustRun, ...show }) {
  const prepared = await preparing;
  if (prepared.status === 'rejected') throw prepared.reason;
  const obstacle = prepared.value;
  if (obstacle !== null && mustRun) throw new SetupError(`The lab cannot run on this machine: ${obstacle}.`);
  if (obstacle !== null) {
    console.log(`lab             skipped: ${obstacle}`);
    return sum([]);
  }
  const report = newReport('vitest-lab.json');
  const code = await runInLab(process.execPath, vitest(['lab'], report, filters), {
    timeoutMs: runnerTimeoutMs,
    ...show,
  });
  return judge(countVitest(report), code, errorsOutsideTests(report));
}

/**
 * Removes the reports of an earlier run, and returns the path for the new JSON report of a runner.
 *
 * @param {string} name
 * @returns {string}
 */
function newReport(name) {
  const report = join(testResults, name);
  for (const file of [report, errorsReport(report)]) rmSync(file, { force: true });
  return report;
}

/**
 * Returns the command line of a Vitest run.
 *
 * @param {readonly string[]} projects
 * @param {string} report path of the file for the results
 * @param {readonly string[]} filters
 * @returns {string[]} arguments for Node.js
 */
function vitest(projects, report, filters) {
  return [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--reporter=${join(root, 'test', 'runner', 'errors-outside-tests.ts')}`,
    `--outputFile.json=${report}`,
    ...filters,
  ];
}

/**
 * Runs the end-to-end tests on a display.
 *
 * @param {readonly string[]} filters
 * @param {{ label?: string }} show
 * @returns {Promise<Tally>}
 */
async function runPlaywright(filters, show) {
  const report = newReport('playwright.json');
  const display = await openDisplay();
  try {
    const cli = join(root, 'node_modules', 'playwright', 'cli.js');
    const config = join(root, 'test', 'e2e', 'playwright.config.ts');
    const { code } = await run(process.execPath, [cli, 'test', '-c', config, ...filters], {
      show: true,
      timeoutMs: runnerTimeoutMs,
      ...show,
      env: { ...process.env, ...display.env },
    });
    return judge(countPlaywright(report), code);
  } finally {
    display.stop();
  }
}
