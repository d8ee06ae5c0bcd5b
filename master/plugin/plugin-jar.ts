import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Name of the plugin's jar in the `plugins` folder of services. */
export const PLUGIN_FILE = 'overworld.jar';

/**
 * Returns the path of the plugin that the master adds to proxies and game servers. It is next to the built master
 * (build/scripts/build-part.mjs), or in `dist/plugin` if the master runs from its sources.
 *
 * @throws OverworldError PLUGIN_JAR_MISSING
 */
export function pluginJarPath(): string {
  // In the bundle this is the folder of `index.js`, in the sources master/plugin.
  const here = import.meta.dirname;
  const beside = join(here, PLUGIN_FILE);
  if (existsSync(beside)) return beside;
  const built = join(here, '..', '..', 'dist', 'plugin', PLUGIN_FILE);
  if (existsSync(built)) return built;
  throw new OverworldError('PLUGIN_JAR_MISSING', { path: beside });
}
