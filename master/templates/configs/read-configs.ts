import { lstat, readFile } from 'node:fs/promises';
import { DefaultFileProblem } from '../default-files.ts';
import { diskCode } from '../disk-problem.ts';
import { readJar } from '../jar-info.ts';
import { CONFIG_PATHS, type ConfigFile } from './service-configs.ts';

/** Far above any real file (2 to 10 KB); keeps a wrong one out of memory. */
const MAX_CONFIG_BYTES = 1_048_576;

/** What {@link serviceConfigs} must know of the files that a service gets. */
export interface FoundConfigs {
  readonly files: readonly ConfigFile[];
  readonly software: string | null;
}

/**
 * Reads the configuration among the files that a service gets.
 *
 * @param sourceOf where a file of the service's folder lies on this machine; null where there is none
 * @param isProxy only proxies have more than server.properties
 * @throws DefaultFileProblem when one is no file, or far too large
 */
export async function readConfigs(
  sourceOf: (path: string) => string | null,
  { isProxy }: { readonly isProxy: boolean },
): Promise<FoundConfigs> {
  const files: ConfigFile[] = [];
  for (const path of isProxy ? CONFIG_PATHS : CONFIG_PATHS.slice(0, 1)) {
    const source = sourceOf(path);
    const text = source === null ? null : await readText(source, path);
    if (text !== null) files.push({ path, text });
  }
  const jar = isProxy ? sourceOf('server.jar') : null;
  const reading = jar === null ? null : await readJar(jar);
  return { files, software: reading?.kind === 'jar' ? reading.software : null };
}

async function readText(source: string, path: string): Promise<string | null> {
  const stats = await lstat(source).catch((error: unknown) => {
    if (diskCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats === null) return null;
  if (!stats.isFile() || stats.size > MAX_CONFIG_BYTES) {
    throw new DefaultFileProblem('unusable', `${path} is not a file of a reasonable size`);
  }
  return readFile(source, 'latin1');
}
