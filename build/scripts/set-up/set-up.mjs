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
 * Brings a clone to where the app can be opened: system packages, npm packages, Electron, build. What is there
 * already is left alone, so that it takes well under a second the second time.
 * Everything it imports at once is Node's own: the packages come later.
 *
 * @param {{ forTests?: boolean }} [options] `forTests`: also what the tests talk to the app and the master with
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
