import { lstat, readFile } from 'node:fs/promises';
import { DefaultFileProblem } from '../default-files/default-files.ts';
import { diskCode } from '../disk-problem.ts';
import { readJar } from '../jar-info.ts';
import { minecraftOf } from './paper-version.ts';
import type { ConfigFile } from './config-file.ts';
import { configPaths, type ConfigSettings } from './service-configs.ts';

/**
 * Size limit of a config file (bytes). Real files have 2 to 10 KB; the worst case of this size already takes the
 * master seconds to parse.
 */
const MAX_CONFIG_BYTES = 131_072;

/** Input of {@link serviceConfigs}, as found in the files that a service gets. */
export interface FoundConfigs {
  readonly files: readonly ConfigFile[];
  readonly software: string | null;
  readonly minecraft: string | null;
}

/**
 * Reads the config files among the files that a service gets.
 *
 * @param sourceOf returns the location of a file of the service's folder on this machine, or null if there is none
 * @param what decides which files are read: a game server without forwarding needs fewer of them
 * @throws DefaultFileProblem if a path is not a file, or the file is too large
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
    // A file in place of a parent folder is reported when the config is written.
    if (diskCode(error) === 'ENOENT' || diskCode(error) === 'ENOTDIR') return null;
    throw error;
  });
  if (stats === null) return null;
  if (!stats.isFile() || stats.size > MAX_CONFIG_BYTES) {
    throw new DefaultFileProblem('unusable', `${path} is not a file of a reasonable size`);
  }
  return readFile(source, 'latin1');
}
