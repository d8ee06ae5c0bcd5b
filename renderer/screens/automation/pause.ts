import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { call } from '../../bridge/bridge.ts';
import { services } from '../../stores/services.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { inBatches } from '../in-batches.ts';

/** Pauses or resumes the automation of services and shows the result. A failure becomes a message that stays. */
export async function setServicesPaused(ids: readonly ServiceId[], held: boolean): Promise<void> {
  const [first = ''] = ids;
  const what = ids.length === 1 ? `service ${first}` : toCountOf(ids.length, 'service');
  try {
    await inBatches(ids, (id) => setServicePaused(id, held));
    toasts.done(
      `Automation of ${what} is ${held ? 'paused' : 'resumed'}`,
      held ? { label: 'Undo', onselect: () => void setServicesPaused(ids, false) } : undefined,
    );
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void services.refresh();
  }
}

/** Pauses or resumes the automation of one service. Ignores a service that no longer exists. */
async function setServicePaused(id: ServiceId, held: boolean): Promise<void> {
  try {
    await call('services.hold', { id, held });
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_FOUND')) throw thrown;
  }
}

/** Pauses or resumes the automation of a template and shows the result. A failure becomes a message that stays. */
export async function setTemplatePaused(id: TemplateId, held: boolean): Promise<void> {
  try {
    await call('templates.hold', { id, held });
    toasts.done(
      `Automation of template ${id} is ${held ? 'paused' : 'resumed'}`,
      held ? { label: 'Undo', onselect: () => void setTemplatePaused(id, false) } : undefined,
    );
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void templates.refresh();
    void services.refresh();
  }
}
