import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';

/**
 * Environment variables that every process of a service carries and hands down to what it starts. They are the
 * evidence by which a master that knows nothing finds its services again.
 */
export interface Mark {
  readonly cluster: string;
  /** Where the services' folders lie: a copied data folder (same cluster) must not see the original's services as its own. */
  readonly folder: string;
}

export function markOf(mark: Mark, id: ServiceId): Record<string, string> {
  return { OVERWORLD_CLUSTER: mark.cluster, OVERWORLD_SERVICE: id, OVERWORLD_FOLDER: mark.folder };
}

/**
 * The service that an environment belongs to; null for a foreign process.
 *
 * @param environ NUL-separated, as in `/proc/<pid>/environ`
 * @param livesHere asked when only the folder differs: true when the process works inside ours (it was moved)
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
