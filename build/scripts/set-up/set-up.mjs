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
 * Prepares a clone for opening the app: system packages, npm packages, Electron, build. Skips what has already been
 * done, so that a second run takes well under a second. This file statically imports only modules of Node.js and of
 * these scripts, because the npm packages may not be installed yet.
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

/**
 * Prepares a clone for packing the master: npm packages, a JDK, and the parts that are in its artefacts.
 *
 * @throws {import('../steps.mjs').SetupError}
 */
export async function setUpMaster() {
  await step('system', () => ensureSystemPackages(javaNeeds));
  await step('packages', () => installPackages());
  const { buildAll } = await import('../build.mjs');
  await step('build', () => buildAll(['master', 'practice-server', 'practice-proxy']));
}
