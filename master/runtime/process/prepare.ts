import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyDefaultFiles, DefaultFileProblem } from '#master/templates/default-files.ts';
import { diskCode, diskProblem, isDiskFull } from '#master/templates/disk-problem.ts';
import { withServerProperties } from '#master/templates/server-properties.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceSpec } from '../runtime.ts';
import type { ServiceFolder } from './service-folder.ts';

/** Far above any real server.properties (about 2 KB); keeps a wrong file out of memory. */
const MAX_PROPERTIES_BYTES = 1_048_576;

export interface PrepareParts {
  readonly templates: Pick<TemplateFolders, 'materialize'>;
  /** `<data>/files` */
  readonly sharedFiles: string;
  readonly port: () => Promise<number>;
}

/**
 * Lays out a service's folder: template revision, default service files over it, port and player limit, and last the
 * record that makes it startable. After a failure the folder is gone.
 *
 * @throws OverworldError as `Runtime.prepare` says
 */
export async function prepareFolder(
  spec: ServiceSpec,
  folder: ServiceFolder,
  parts: PrepareParts,
): Promise<void> {
  try {
    await folder.make();
    await parts.templates.materialize(spec.template, spec.revision, folder.files);
    await copyDefaultFiles(spec.defaultServiceFiles, parts.sharedFiles, folder.files);
    await requireServerJar(spec, folder.files);
    const port = await parts.port();
    await writeProperties(folder.files, { port, maxPlayers: spec.maxPlayers });
    await mkdir(folder.run, { mode: 0o700 });
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

async function writeProperties(
  files: string,
  wanted: Parameters<typeof withServerProperties>[1],
): Promise<void> {
  const path = join(files, 'server.properties');
  const stats = await lstat(path).catch((error: unknown) => {
    if (diskCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats !== null && (!stats.isFile() || stats.size > MAX_PROPERTIES_BYTES)) {
    throw new DefaultFileProblem('unusable', 'server.properties is not a file of a reasonable size');
  }
  // latin1 reads and writes every byte as it is, whatever encoding the other lines are in.
  const text = stats === null ? '' : await readFile(path, 'latin1');
  await writeFile(path, withServerProperties(text, wanted), 'latin1');
}

function toPrepareError(error: unknown, { id, template }: ServiceSpec, path: string): OverworldError {
  if (error instanceof OverworldError) return toOverworldError(error);
  if (isDiskFull(error)) return new OverworldError('DISK_FULL', { path }, error);
  if (error instanceof DefaultFileProblem && error.kind === 'unusable') {
    return new OverworldError('TEMPLATE_UNREADABLE', { template, why: error.message }, error);
  }
  const why =
    error instanceof DefaultFileProblem ? error.message : `its folder ${path}: ${diskProblem(error)}`;
  return new OverworldError('PREPARE_FAILED', { service: id, why }, error);
}
