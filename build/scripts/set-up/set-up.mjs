import { hasDisplay } from '../display.mjs';
import { installPackages } from './npm-packages.mjs';
import { testPeers } from '../paths.mjs';
import { step } from '../steps.mjs';
import {
  clientNeeds,
  displayNeeds,
  electronNeeds,
  ensureSystemPackages,
  ensureWherePossible,
  javaNeeds,
  testNeeds,
} from './system-packages.mjs';

/**
 * Prepares a clone for opening the app: system packages, npm packages, Electron, build. Skips what is already
 * there, so that a second run takes well under a second. Its static imports are only Node's own, because the
 * packages are not installed yet.
 *
 * @param {{ forTests?: boolean }} [options] `forTests`: also installs the clients of the tests
 * @throws {import('../steps.mjs').SetupError}
 */
export async function setUp({ forTests = false } = {}) {
  const needs = [
    ...electronNeeds,
    ...javaNeeds,
    ...(hasDisplay() ? [] : displayNeeds),
    ...(forTests ? testNeeds : []),
  ];
  await step('system', () => ensureSystemPackages(needs));
  await step('packages', () => installPackages());
  if (forTests) await step('sftp clients', () => ensureWherePossible(clientNeeds));
  if (forTests) await step('test peers', () => installPackages(testPeers));
  const { installElectron } = await import('../electron/install.mjs');
  await step('electron', installElectron);
  const { buildAll } = await import('../build.mjs');
  await step('build', () => buildAll());
}
