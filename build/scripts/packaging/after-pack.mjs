import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Hook of electron-builder, called when the app's folder is complete. Removes Electron's default app, which
 * electron-builder removes only from an Electron that it has downloaded.
 *
 * @param {{ appOutDir: string }} context
 */
export default async function afterPack({ appOutDir }) {
  await rm(join(appOutDir, 'resources', 'default_app.asar'), { force: true });
}
