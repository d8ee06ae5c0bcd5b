import { ROOT_FOLDER, type RootShell } from '../server/run-in-unit.ts';

/**
 * Removes the package and the other files of the job from the server. Ignores whether the removal succeeds, because
 * the files only take up space.
 *
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function cleanUp({ shell, sudo }: RootShell, signal: AbortSignal): Promise<void> {
  await shell.run(`rm -rf ${ROOT_FOLDER} /var/tmp/overworld-"$(id -u)"`, { sudo, signal });
}
