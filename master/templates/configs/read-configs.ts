import { DefaultFileProblem } from '../default-files/default-files.ts';
import { diskCode } from '../disk-problem.ts';
import { readJar } from '../jar-info.ts';
import { openWithoutLinks } from '../links.ts';
import { minecraftOf } from './paper-version.ts';
import type { ServiceConfigFile } from './config-file.ts';
import { configPaths, type ConfigSettings } from './service-configs.ts';

/**
 * Size limit of a config file (bytes). Real files have 2 to 10 KB. In the worst case, a file of this size already
 * takes seconds to parse.
 */
export const MAX_CONFIG_BYTES = 131_072;

/** Input of {@link serviceConfigs}: the config files found among a service's files, and data about its server.jar. */
export interface FoundConfigs {
  readonly files: readonly ServiceConfigFile[];
  readonly software: string | null;
  readonly minecraft: string | null;
}

/**
 * Reads the config files among the files that a service gets.
 *
 * @param sourceOf returns the path on this machine of a file that the service gets; null if it gets no such file
 * @param what facts that decide which files are read: a game server without forwarding needs fewer files
 * @throws DefaultFileProblem if a path is not a file, or a file is too large
 */
export async function readConfigs(
  sourceOf: (path: string) => string | null,
  what: Pick<ConfigSettings, 'isProxy' | 'forwarding'>,
): Promise<FoundConfigs> {
  const files: ServiceConfigFile[] = [];
  for (const path of configPaths(what)) {
    const source = sourceOf(path);
    const text = source === null ? null : await readConfigText(source, path);
    if (text !== null) files.push({ path, text });
  }
  const jar = what.isProxy || what.forwarding !== null ? sourceOf('server.jar') : null;
  const reading = jar === null ? null : await readJar(jar);
  if (reading?.kind !== 'jar') return { files, software: null, minecraft: null };
  const { software, versions } = reading;
  return { files, software, minecraft: versions === null ? null : minecraftOf(versions) };
}

/**
 * Reads the text of a config file as latin1; null if it does not exist. Does not follow links, because code in the SSH
 * service may place links among the shared files.
 *
 * @throws DefaultFileProblem if the path is not a file, or the file is too large
 */
export async function readConfigText(source: string, path: string): Promise<string | null> {
  const file = await openWithoutLinks(source).catch((error: unknown) => {
    // If a parent folder is in fact a file, the later write of the config file reports this.
    if (diskCode(error) === 'ENOENT' || diskCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  if (file === undefined) return null;
  try {
    if (file === null || (await file.stat()).size > MAX_CONFIG_BYTES)
      throw new DefaultFileProblem('unusable', `${path} is not a file of a reasonable size`);
    return await file.readFile('latin1');
  } finally {
    await file?.close();
  }
}
