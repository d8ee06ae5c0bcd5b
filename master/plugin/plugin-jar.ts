import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Name of the plugin's jar in the `plugins` folder of services. */
export const PLUGIN_FILE = 'overworld.jar';

/**
 * Where the plugin lies that the master puts into proxies and game servers: beside the built master
 * (build/scripts/build-part.mjs), or in `dist/plugin` when the master runs from its sources.
 *
 * @throws OverworldError PLUGIN_JAR_MISSING
 */
export function pluginJarPath(): string {
  // Of the bundle this is the folder of `index.js`, of the sources master/plugin.
  const here = import.meta.dirname;
  const beside = join(here, PLUGIN_FILE);
  if (existsSync(beside)) return beside;
  const built = join(here, '..', '..', 'dist', 'plugin', PLUGIN_FILE);
  if (existsSync(built)) return built;
  throw new OverworldError('PLUGIN_JAR_MISSING', { path: beside });
}
