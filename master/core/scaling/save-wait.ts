import type { Wait } from '#shared/model/wait.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { isStoppingForRestart, type ServiceSnapshot, type TemplateSnapshot } from '../snapshot/snapshot.ts';

/** A service whose data cannot be saved now, and the reason. */
interface Unsavable {
  readonly service: ServiceSnapshot;
  readonly why: string;
}

/**
 * Returns the service whose data has to be saved before a leaving service may stop. Null if the leaving service need
 * not wait. A leaving service waits while its own data cannot be saved. It also waits while the data of a stopping
 * service of its template cannot be saved. In a rolling restart, it waits while the data of any service to be
 * replaced cannot be saved, because the reason probably concerns all of them. If its template is being deleted, it
 * waits only for its own data.
 */
export function whichSaveDelays(
  service: ServiceSnapshot,
  template: TemplateSnapshot,
  index: SnapshotIndex,
): Unsavable | null {
  const own = firstUnsavable([service], index);
  if (own !== null || template.leaving) return own;
  const { services, retiring } = index.ofTemplate(template.id);
  const stopping = services.filter((one) => one.stopping || isStoppingForRestart(one));
  const inTurn = index.leaving(service) === 'retiring' ? retiring.filter((one) => !one.draining) : [];
  return firstUnsavable([...stopping, ...inTurn], index);
}

/**
 * Returns the reason why services that should leave are not stopped, if the reason is that data cannot be saved. Null
 * if no save delays a rolling restart, a drain of a node or the deletion of the template.
 */
export function whySavesDelay(template: TemplateSnapshot, index: SnapshotIndex): Wait | null {
  for (const service of index.ofTemplate(template.id).leaving) {
    const what = service.held ? null : whatWaits(service, template, index);
    const unsavable = what === null ? null : whichSaveDelays(service, template, index);
    if (unsavable === null) continue;
    const { id } = unsavable.service;
    const message = `${what} waits, because ${id} cannot be saved now. ${unsavable.why} It continues once ${id} is saved.`;
    return { reason: 'VOLUME_UNSAVABLE', message, until: null };
  }
  return null;
}

function whatWaits(
  service: ServiceSnapshot,
  template: TemplateSnapshot,
  index: SnapshotIndex,
): string | null {
  switch (index.leaving(service)) {
    case 'retiring':
      return `The rolling restart of template ${template.id}`;
    case 'drained':
    case 'spared':
      return `The drain of ${service.node ?? 'its node'}`;
    case 'deleted':
      return `The deletion of template ${template.id}`;
    default:
      return null;
  }
}

function firstUnsavable(services: readonly ServiceSnapshot[], index: SnapshotIndex): Unsavable | null {
  for (const service of services) {
    const why = index.unsavable(service);
    if (why !== null) return { service, why };
  }
  return null;
}
