import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { softwareIds, type SoftwareChoice, type SoftwareId } from '#shared/model/software.ts';
import { hashFile } from '#master/templates/copy-file.ts';

/** Software whose jar is built with Overworld. */
export type BundledSoftware = Extract<SoftwareId, `practice-${string}`>;

/**
 * Returns the path of the jar of the practice server or practice proxy. On a server, the jar is beside the master's
 * program. In the app, it is one folder above. If the master runs from its sources, it is in `dist`.
 *
 * @throws OverworldError BUNDLED_JAR_MISSING
 */
export function bundledJarPath(software: BundledSoftware): string {
  const name = `${software}.jar`;
  // In the bundle, this is the folder of `index.js`. In the sources, it is master/software.
  const here = import.meta.dirname;
  const places = [join(here, name), join(here, '..', name), join(here, '..', '..', 'dist', name)];
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new OverworldError('BUNDLED_JAR_MISSING', { path: join(here, name) });
  return found;
}

/** Reports whether software is included in Overworld. */
export function isBundled(software: SoftwareChoice['software']): software is BundledSoftware {
  return software.startsWith('practice-');
}

/** Returns the included software by the sha256 of its jar. Software whose jar is missing is left out. */
export async function hashBundledJars(): Promise<ReadonlyMap<string, SoftwareChoice>> {
  const found = new Map<string, SoftwareChoice>();
  for (const software of softwareIds.filter(isBundled)) {
    const hash = await Promise.resolve()
      .then(() => hashFile(bundledJarPath(software)))
      .catch(() => null);
    if (hash !== null) found.set(hash, { software, version: null, build: null });
  }
  return found;
}
