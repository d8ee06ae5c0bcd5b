import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfigs, readConfigText } from '#master/templates/configs/read-configs.ts';
import { SERVER_PROPERTIES } from '#master/templates/configs/server-properties.ts';
import { serviceConfigs, type ConfigSettings } from '#master/templates/configs/service-configs.ts';
import { copyDefaultFiles, DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import { diskCode, diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { writeOver } from '#master/templates/default-files/write-over.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Provision, ServiceSpec } from '../runtime.ts';
import type { ServiceFolder } from './service-folder.ts';
import { notePlaced, placeVolume } from './volumes/volume-files.ts';

export interface LocalPrepareContext {
  readonly provision: Provision;
  readonly templates: Pick<TemplateFolders, 'materialize'>;
  /** Folder of the shared files, `<data>/files`. */
  readonly sharedFiles: string;
  readonly port: () => Promise<number>;
}

/**
 * Creates a service's folder. Adds, in this sequence, the template revision, the default service files, the volume,
 * the files of the master, the configuration, and the record that makes the service startable. Later files replace
 * earlier ones at the same path. Removes the folder if any step fails.
 *
 * @throws OverworldError as documented for `Runtime.prepare`
 */
export async function prepareFolder(
  spec: ServiceSpec,
  folder: ServiceFolder,
  parts: LocalPrepareContext,
): Promise<void> {
  try {
    await folder.make();
    await parts.templates.materialize(spec.template, spec.revision, folder.files);
    await copyDefaultFiles(spec.defaultServiceFiles, parts.sharedFiles, folder.files);
    const volume = parts.provision.volume ?? null;
    const ownProperties = await readConfigText(join(folder.files, SERVER_PROPERTIES), SERVER_PROPERTIES);
    const saved = volume === null ? null : await placeVolume(spec, folder, volume);
    for (const file of parts.provision.files) await writeOver(folder.files, file);
    await requireServerJar(spec, folder.files);
    const port = await parts.port();
    const { forwarding, mayHaveProxy } = parts.provision;
    const own = { port, forwarding, mayHaveProxy, ownProperties: ownProperties ?? '' };
    const configs = await writeConfigs(spec, folder.files, own);
    await mkdir(folder.run, { mode: 0o700 });
    const overwritten = new Set([...parts.provision.files.map(({ path }) => path), ...configs]);
    if (saved !== null) await notePlaced(folder, saved, overwritten);
    await folder.writeRecord({ spec, port });
  } catch (error) {
    await folder.remove();
    throw toPrepareError(error, spec, folder.path);
  }
}

async function requireServerJar({ template }: ServiceSpec, files: string): Promise<void> {
  const stats = await lstat(join(files, 'server.jar')).catch((error: unknown) => {
    if (diskCode(error) === 'ENOENT') throw new OverworldError('SERVER_JAR_MISSING', { template }, error);
    throw error;
  });
  if (!stats.isFile())
    throw new OverworldError('TEMPLATE_UNREADABLE', { template, why: 'server.jar is not a file' });
}

type OwnSettings = Pick<ConfigSettings, 'port' | 'forwarding' | 'mayHaveProxy' | 'ownProperties'>;

/** Writes the settings that the master owns into configuration files. Returns the paths of the changed files. */
async function writeConfigs(spec: ServiceSpec, files: string, own: OwnSettings): Promise<string[]> {
  const settings = { ...spec, ...own };
  const { files: found, ...jar } = await readConfigs((path) => join(files, path), settings);
  const configs = serviceConfigs(found, { ...settings, ...jar });
  for (const { path, text } of configs) {
    // The file may contain secrets, and the template's own file may be readable by everyone.
    await writeOver(files, { path, content: Buffer.from(text, 'latin1'), mode: 0o600 });
  }
  return configs.map(({ path }) => path);
}

function toPrepareError(error: unknown, { id, template }: ServiceSpec, path: string): OverworldError {
  if (error instanceof OverworldError) return toOverworldError(error);
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
  if (error instanceof DefaultFileProblem) {
    return new OverworldError('TEMPLATE_UNREADABLE', { template, why: error.message }, error);
  }
  const why = `its folder ${path}: ${diskProblem(error)}`;
  return new OverworldError('PREPARE_FAILED', { service: id, why }, error);
}
