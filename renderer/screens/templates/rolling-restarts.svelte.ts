import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Service, ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { SvelteMap } from 'svelte/reactivity';
import { call } from '../../bridge/bridge.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';

/** Whom a rolling restart begun in this window concerns: what has ended since counts as replaced. */
const begun = new SvelteMap<TemplateId, readonly ServiceId[]>();

/** How far a rolling restart has come. */
export interface Rolling {
  /** Still to be replaced. */
  readonly left: readonly Service[];
  /** Null when it was begun elsewhere: nobody here knows how many there were. */
  readonly total: number | null;
}

/** The rolling restart of a template; null while there is none. @param services those of the template */
export function rollingOf(id: TemplateId, services: readonly Service[]): Rolling | null {
  const left = services.filter(({ retiring }) => retiring !== null);
  if (left.length === 0) return null;
  const all = begun.get(id);
  const known = all !== undefined && left.every((service) => all.includes(service.id));
  return { left, total: known ? all.length : null };
}

/** Services that run from older files or values and that nobody is replacing yet. */
export function outdatedOf(services: readonly Service[]): readonly Service[] {
  return services.filter(
    ({ outdated, retiring, stopping }) => outdated.length > 0 && retiring === null && stopping === null,
  );
}

/** Replaces those that run from older files or values, one after the other. */
export async function restartAll(id: TemplateId): Promise<void> {
  try {
    const { services } = await call('templates.restart', { id, which: 'outdated' });
    if (services.length === 0) {
      toasts.done(`All services of template ${id} are up to date`);
      return;
    }
    begun.set(id, services);
    toasts.done(`Replacing ${toCountOf(services.length, 'service')} of template ${id}, one after the other`, {
      label: 'Cancel',
      onselect: () => void stopReplacing(id),
    });
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}

/** Takes it back: those not yet replaced stay. */
export async function stopReplacing(id: TemplateId): Promise<void> {
  try {
    await call('templates.restart', { id, which: 'none' });
    begun.delete(id);
    toasts.done(`Services of template ${id} that were not replaced yet stay`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
