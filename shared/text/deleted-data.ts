import { isPersistent, type TemplateConfig } from '../config/template.ts';
import { templateOfService, type ServiceId } from '../model/service-id.ts';
import { unsavableData, type UnsavableService } from './unsavable.ts';

/** Facts about services that end, from which sentences about their data are built. */
export interface EndingServices {
  /**
   * Number of services whose folders are deleted. Does not count services that were never started, because they have
   * no folder.
   */
  readonly count: number;
  /**
   * Number of these services that keep data in volumes (docs/specification.md#persistentpaths). Default: 0. Null:
   * unknown.
   */
  readonly persistent?: number | null;
  /** Whether the services' node cannot be reached, so that nothing can be saved or kept. */
  readonly lost?: boolean;
  /** Which of these services have data that cannot be saved now. Default: none. */
  readonly unsavable?: readonly UnsavableService[];
}

/** Sentences about the data of services that end: what is deleted, and what is kept. */
export interface DeletedData {
  readonly deleted: string;
  /** Further sentences: why the data of some of the services cannot be saved. */
  readonly reasons: readonly string[];
  readonly kept: string;
}

/** Returns the number of services that keep data in volumes. */
export function persistentCount(
  services: readonly ServiceId[],
  templates: readonly { readonly id: string; readonly config: Pick<TemplateConfig, 'persistentPaths'> }[],
): number {
  const persistent = new Set(templates.filter(({ config }) => isPersistent(config)).map(({ id }) => id));
  return services.filter((id) => persistent.has(templateOfService(id))).length;
}

/**
 * Returns sentences about what happens to the data of services that end. Every dialog and every command that ends
 * services uses these sentences. The folder of a service is always deleted when the service ends, even if the service
 * starts again with the same id.
 *
 * @returns null if no folder is deleted
 */
export function deletedData(services: EndingServices): DeletedData | null {
  const { count, persistent = 0, lost = false, unsavable = [] } = services;
  if (count === 0) return null;
  if (!lost && unsavable.length > 0) {
    const savable = persistent === null ? null : Math.max(0, persistent - unsavable.length);
    return unsavableData(unsavable, { count: count - unsavable.length, persistent: savable });
  }
  const whose = count === 1 ? 'its' : 'their';
  return {
    deleted: lost ? lostWords(services) : deletedWords(services),
    reasons: [],
    kept: lost
      ? `Not even ${whose} crash reports and logs can be kept.`
      : `Only ${whose} newest crash reports and logs are kept.`,
  };
}

function deletedWords({ count, persistent = 0 }: EndingServices): string {
  const [writer, whose] = count === 1 ? ['it', 'its'] : ['they', 'their'];
  if (persistent === 0) return `Everything ${writer} wrote is deleted, such as worlds and plugin data.`;
  if (persistent === null)
    return `Everything ${writer} wrote outside of persistent paths is deleted, such as plugin data.`;
  if (persistent === count)
    return `The files at ${whose} persistent paths are saved first. Everything else ${writer} wrote is deleted.`;
  return `For ${persistent} of them, the files at persistent paths are saved first. Everything else they wrote is deleted.`;
}

function lostWords({ count, persistent = 0 }: EndingServices): string {
  const [writer, whose] = count === 1 ? ['it', 'its'] : ['they', 'their'];
  if (persistent === 0) return `Everything ${writer} wrote is lost, such as worlds and plugin data.`;
  if (persistent === count)
    return `Everything ${writer} wrote is lost, except for the saves of ${whose} persistent paths.`;
  return `Everything ${writer} wrote is lost, except for saves of persistent paths.`;
}

/**
 * Returns the sentences of {@link deletedData} as one text. Empty if no folder is deleted.
 *
 * Example: one service →
 * `Everything it wrote is deleted, such as worlds and plugin data. Only its newest crash reports and logs are kept.`
 */
export function deletedDataWords(services: EndingServices): string {
  const data = deletedData(services);
  return data === null ? '' : [data.deleted, ...data.reasons, data.kept].join(' ');
}
