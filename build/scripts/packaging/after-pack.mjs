import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { addMasterPackages } from './app/master-packages.mjs';

/**
 * Hook of electron-builder, called when the app's folder is complete. Removes Electron's default app: electron-builder
 * itself removes it only from an Electron that it has downloaded. Adds the master's packages.
 *
 * @param {{ appOutDir: string, packager: { getResourcesDir: (appOutDir: string) => string } }} context
 */
export default async function afterPack({ appOutDir, packager }) {
  const resources = packager.getResourcesDir(appOutDir);
  await rm(join(resources, 'default_app.asar'), { force: true });
  await addMasterPackages(join(root, 'release'), resources);
}
