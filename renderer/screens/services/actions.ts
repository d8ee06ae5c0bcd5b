import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { call, request } from '../../bridge/bridge.ts';
import { place } from '../../stores/app/place.svelte.ts';
import { services } from '../../stores/services.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { inTurns } from '../in-turns.ts';

/** Asks for one more service of a template and says so; failure becomes a message that stays. */
export async function startService(template: TemplateId): Promise<void> {
  try {
    const { id } = await call('services.start', { template });
    toasts.done(`Service ${id} is requested`, { label: 'Show', onselect: () => place.go('services', id) });
    void services.refresh();
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}

/** One service; that it is gone already is what was wanted. */
async function stopOne(id: ServiceId, kill: boolean): Promise<void> {
  try {
    await call('services.stop', { id, kill });
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_FOUND')) throw thrown;
  }
}

/**
 * Stops (or kills) services, some at a time.
 *
 * @throws OverworldError the first failure, after all were tried
 */
export async function stopServices(ids: readonly ServiceId[], kill: boolean): Promise<void> {
  try {
    await inTurns(ids, (id) => stopOne(id, kill));
  } finally {
    void services.refresh();
  }
  const what = ids.length === 1 ? `Service ${ids[0] ?? ''}` : toCountOf(ids.length, 'service');
  toasts.done(`${what} ${kill ? 'killed' : ids.length === 1 ? 'is stopping' : 'are stopping'}`);
}

/**
 * Moves the players of services to fallbacks and stops each once it is empty; the master goes on with it by itself.
 *
 * @param withinMs time after which they stop at the latest; null: never
 * @throws OverworldError the first failure, after all were tried
 */
export async function drainServices(ids: readonly ServiceId[], withinMs: number | null): Promise<void> {
  try {
    await inTurns(ids, (id) => unlessGone(call('services.drain', { id, withinMs })));
  } finally {
    void services.refresh();
  }
  const [first = ''] = ids;
  const words =
    ids.length === 1
      ? `Service ${first} is draining: it stops once it is empty`
      : `${toCountOf(ids.length, 'service')} are draining: each stops once it is empty`;
  toasts.done(words, { label: 'Cancel', onselect: () => void cancelDrains(ids) });
}

/** Lets services that are drained take players again, and says so; failure becomes a message that stays. */
export async function cancelDrains(ids: readonly ServiceId[]): Promise<void> {
  try {
    await inTurns(ids, (id) => unlessGone(call('services.cancelDrain', { id })));
    const [first = ''] = ids;
    const what = ids.length === 1 ? `Service ${first} takes` : `${toCountOf(ids.length, 'service')} take`;
    toasts.done(`${what} players again`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void services.refresh();
  }
}

/** That a service is gone already is what was wanted. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_FOUND')) throw thrown;
  }
}

/** One service; that it is gone already leaves nothing to restart. */
async function restartOne(id: ServiceId): Promise<void> {
  try {
    await call('services.restart', { id, kill: false });
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_FOUND')) throw thrown;
  }
}

/**
 * Stops services and starts them again under their ids, some at a time.
 *
 * @throws OverworldError the first failure, after all were tried
 */
export async function restartServices(ids: readonly ServiceId[]): Promise<void> {
  try {
    await inTurns(ids, restartOne);
  } finally {
    void services.refresh();
  }
  const what = ids.length === 1 ? `Service ${ids[0] ?? ''} is` : `${toCountOf(ids.length, 'service')} are`;
  toasts.done(`${what} restarting`);
}

/** Saves a service's whole kept log where the system's dialog says. */
export async function saveLog(id: ServiceId): Promise<void> {
  try {
    const { saved, lines } = await request('logs.save', { service: id });
    if (saved) toasts.done(`Saved ${toCountOf(lines, 'line')} of ${id}`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}

/** Puts a text on the clipboard and says so. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.done(`Copied ${text}`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
