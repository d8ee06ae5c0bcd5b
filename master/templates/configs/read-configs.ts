import { lstat, readFile } from 'node:fs/promises';
import { DefaultFileProblem } from '../default-files/default-files.ts';
import { diskCode } from '../disk-problem.ts';
import { readJar } from '../jar-info.ts';
import { minecraftOf } from './paper-version.ts';
import type { ConfigFile } from './config-file.ts';
import { configPaths, type ConfigSettings } from './service-configs.ts';

/** Far above any real file (2 to 10 KB): the worst of this size take the master seconds to read. */
const MAX_CONFIG_BYTES = 131_072;

/** What {@link serviceConfigs} must know of the files that a service gets. */
export interface FoundConfigs {
  readonly files: readonly ConfigFile[];
  readonly software: string | null;
  readonly minecraft: string | null;
}

/**
 * Reads the configuration among the files that a service gets.
 *
 * @param sourceOf where a file of the service's folder lies on this machine; null where there is none
 * @param what a proxy without configuration, or a game server without forwarding, has less of it
 * @throws DefaultFileProblem when one is no file, or far too large
 */
export async function readConfigs(
  sourceOf: (path: string) => string | null,
  what: Pick<ConfigSettings, 'isProxy' | 'forwarding'>,
): Promise<FoundConfigs> {
  const files: ConfigFile[] = [];
  for (const path of configPaths(what)) {
    const source = sourceOf(path);
    const text = source === null ? null : await readText(source, path);
    if (text !== null) files.push({ path, text });
  }
  const jar = what.isProxy || what.forwarding !== null ? sourceOf('server.jar') : null;
  const reading = jar === null ? null : await readJar(jar);
  if (reading?.kind !== 'jar') return { files, software: null, minecraft: null };
  const { software, versions } = reading;
  return { files, software, minecraft: versions === null ? null : minecraftOf(versions) };
}

async function readText(source: string, path: string): Promise<string | null> {
  const stats = await lstat(source).catch((error: unknown) => {
    // A file where its folder should be is told when it is written.
    if (diskCode(error) === 'ENOENT' || diskCode(error) === 'ENOTDIR') return null;
    throw error;
  });
  if (stats === null) return null;
  if (!stats.isFile() || stats.size > MAX_CONFIG_BYTES) {
    throw new DefaultFileProblem('unusable', `${path} is not a file of a reasonable size`);
  }
  return readFile(source, 'latin1');
}
