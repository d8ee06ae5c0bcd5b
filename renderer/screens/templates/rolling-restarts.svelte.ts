import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Service, ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { SvelteMap } from 'svelte/reactivity';
import { call } from '../../bridge/bridge.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';

/**
 * Services of the rolling restarts that were started in this window, by template. A service of the list that has
 * exited counts as replaced.
 */
const begun = new SvelteMap<TemplateId, readonly ServiceId[]>();

/** Progress of a rolling restart. */
export interface RollingRestart {
  /** Services still to be replaced. */
  readonly left: readonly Service[];
  /**
   * Total number of services of the rolling restart. Null if the restart was started elsewhere, so that this window
   * does not know the number.
   */
  readonly total: number | null;
}

/**
 * Returns the progress of a template's rolling restart. Null if there is none.
 *
 * @param services services of the template
 */
export function rollingOf(id: TemplateId, services: readonly Service[]): RollingRestart | null {
  const left = services.filter(({ retiring }) => retiring !== null);
  if (left.length === 0) return null;
  const all = begun.get(id);
  const known = all !== undefined && left.every((service) => all.includes(service.id));
  return { left, total: known ? all.length : null };
}

/** Returns the services that run with older files or values, except those that are being replaced or stopped. */
export function outdatedOf(services: readonly Service[]): readonly Service[] {
  return services.filter(
    ({ outdated, retiring, stopping }) => outdated.length > 0 && retiring === null && stopping === null,
  );
}

/**
 * Starts a rolling restart of the services with older files or values, and shows the result. A failure becomes a
 * message that stays.
 */
export async function restartAll(id: TemplateId): Promise<void> {
  try {
    const { services } = await call('templates.restart', { id, which: 'outdated' });
    if (services.length === 0) {
      toasts.done(`All services of template ${id} are up to date`);
      return;
    }
    begun.set(id, services);
    toasts.done(`Rolling restart of ${toCountOf(services.length, 'service')} of template ${id} started`, {
      label: 'Cancel',
      onselect: () => void stopReplacing(id),
    });
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}

/**
 * Cancels the rolling restart and shows the result. Services that are not replaced yet keep running. A failure
 * becomes a message that stays.
 */
export async function stopReplacing(id: TemplateId): Promise<void> {
  try {
    await call('templates.restart', { id, which: 'none' });
    begun.delete(id);
    toasts.done(`Rolling restart of template ${id} cancelled`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
