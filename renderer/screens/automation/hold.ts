import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { call } from '../../bridge/bridge.ts';
import { services } from '../../stores/services.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { inTurns } from '../in-turns.ts';

/** Takes services out of automation, or puts them back, and says so; failure becomes a message that stays. */
export async function holdServices(ids: readonly ServiceId[], held: boolean): Promise<void> {
  const [first = ''] = ids;
  const what = ids.length === 1 ? `Service ${first}` : toCountOf(ids.length, 'service');
  const verb = ids.length === 1 ? 'is' : 'are';
  try {
    await inTurns(ids, (id) => holdService(id, held));
    toasts.done(
      held ? `${what} ${verb} held` : `${what} ${verb} put back into automation`,
      held ? { label: 'Put back', onselect: () => void holdServices(ids, false) } : undefined,
    );
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void services.refresh();
  }
}

/** One service; that it is gone already is no failure. */
async function holdService(id: ServiceId, held: boolean): Promise<void> {
  try {
    await call('services.hold', { id, held });
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_FOUND')) throw thrown;
  }
}

/** Takes a template out of automation, or puts it back, and says so; failure becomes a message that stays. */
export async function holdTemplate(id: TemplateId, held: boolean): Promise<void> {
  try {
    await call('templates.hold', { id, held });
    toasts.done(
      held ? `Template ${id} is held` : `Template ${id} is put back into automation`,
      held ? { label: 'Put back', onselect: () => void holdTemplate(id, false) } : undefined,
    );
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void templates.refresh();
    void services.refresh();
  }
}
