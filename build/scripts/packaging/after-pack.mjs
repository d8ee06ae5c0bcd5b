import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * electron-builder's hook, called when the app's folder is complete: takes out what Electron runs when it has no
 * app, which electron-builder itself removes only from an Electron that it downloaded.
 *
 * @param {{ appOutDir: string }} context
 */
export default async function afterPack({ appOutDir }) {
  await rm(join(appOutDir, 'resources', 'default_app.asar'), { force: true });
}
