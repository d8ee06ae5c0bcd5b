import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';

/**
 * Values of the environment variables that every process of a service has and passes on to its children. A master
 * that has lost all records finds its services by these variables.
 */
export interface Mark {
  readonly cluster: string;
  /**
   * Folder of the services. It prevents a master with a copied data folder (same cluster) from adopting the
   * services of the original master.
   */
  readonly folder: string;
}

/** Returns the environment variables that mark the processes of a service as processes of this master. */
export function markOf(mark: Mark, id: ServiceId): Record<string, string> {
  return { OVERWORLD_CLUSTER: mark.cluster, OVERWORLD_SERVICE: id, OVERWORLD_FOLDER: mark.folder };
}

/**
 * Returns the service to which an environment belongs; null for a process of another program or master.
 *
 * @param environ NUL-separated, as in `/proc/<pid>/environ`
 * @param livesHere reports whether the process's working directory is inside this master's folder, which may have
 *   been moved; called only if the folder is the only difference
 */
export function serviceIn(environ: string, mark: Mark, livesHere: () => boolean): ServiceId | null {
  if (!environ.includes('OVERWORLD_SERVICE=')) return null;
  const variables = new Map(environ.split('\0').map((entry) => split(entry)));
  const id = serviceIdSchema.safeParse(variables.get('OVERWORLD_SERVICE'));
  if (!id.success || variables.get('OVERWORLD_CLUSTER') !== mark.cluster) return null;
  return variables.get('OVERWORLD_FOLDER') === mark.folder || livesHere() ? id.data : null;
}

function split(entry: string): [string, string] {
  const at = entry.indexOf('=');
  return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
}
