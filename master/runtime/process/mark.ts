import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';

/**
 * Environment variables that every process of a service has and passes on to its children. A master without any
 * other record finds its services by them.
 */
export interface Mark {
  readonly cluster: string;
  /**
   * Folder of the services, so that a master with a copied data folder (same cluster) does not adopt the original's
   * services.
   */
  readonly folder: string;
}

export function markOf(mark: Mark, id: ServiceId): Record<string, string> {
  return { OVERWORLD_CLUSTER: mark.cluster, OVERWORLD_SERVICE: id, OVERWORLD_FOLDER: mark.folder };
}

/**
 * Returns the service that an environment belongs to; null for a foreign process.
 *
 * @param environ NUL-separated, as in `/proc/<pid>/environ`
 * @param livesHere called only if just the folder differs; returns whether the process works inside this master's
 *   folder (which was moved)
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
