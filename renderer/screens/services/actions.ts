import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { call, request } from '../../bridge/bridge.ts';
import { route } from '../../stores/app/route.svelte.ts';
import { services } from '../../stores/services.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCount, toCountOf } from '../../view/format/numbers.ts';
import { inBatches, tryInBatches, type BatchFailure } from '../in-batches.ts';

/** Starts one more service of a template and shows the result. A failure becomes a message that stays. */
export async function startService(template: TemplateId): Promise<void> {
  try {
    const { id } = await call('services.start', { template });
    toasts.done(`Service ${id} is requested`, { label: 'Show', onselect: () => route.go('services', id) });
    void services.refresh();
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}

/**
 * Stops or kills services, several at a time, and shows how many succeed. A service that no longer exists counts as
 * success.
 *
 * @returns the failures, after all services have been tried
 */
export async function stopServices(
  ids: readonly ServiceId[],
  kill: boolean,
): Promise<readonly BatchFailure<ServiceId>[]> {
  const failures = await tryInBatches(ids, (id) => unlessGone(call('services.stop', { id, kill })));
  void services.refresh();
  reportSuccess(ids, failures.length, (one) => (kill ? 'killed' : `${one ? 'is' : 'are'} stopping`));
  return failures;
}

/** Shows for how many of these services an action has succeeded: `2 of 3 services are stopping`. */
function reportSuccess(ids: readonly ServiceId[], failed: number, toVerb: (one: boolean) => string): void {
  const [first = ''] = ids;
  const count = ids.length - failed;
  if (count === 0) return;
  const all = ids.length === 1 ? `Service ${first}` : toCountOf(ids.length, 'service');
  toasts.done(`${failed === 0 ? all : `${toCount(count)} of ${all}`} ${toVerb(count === 1)}`);
}

/**
 * Starts to drain services: the master moves their players to fallbacks, and stops each service once it is empty.
 *
 * @param withinMs maximum duration of a drain (ms), after which the service stops even with players; null: no maximum
 * @throws OverworldError the first failure, after all services have been tried
 */
export async function drainServices(ids: readonly ServiceId[], withinMs: number | null): Promise<void> {
  try {
    await inBatches(ids, (id) => unlessGone(call('services.drain', { id, withinMs })));
  } finally {
    void services.refresh();
  }
  const [first = ''] = ids;
  const words =
    ids.length === 1
      ? `Service ${first} is draining and stops once it is empty`
      : `${toCountOf(ids.length, 'service')} are draining and stop once they are empty`;
  toasts.done(words, { label: 'Cancel', onselect: () => void cancelDrains(ids) });
}

/**
 * Cancels drains, so that the services accept players again, and shows the result. A failure becomes a message that
 * stays.
 */
export async function cancelDrains(ids: readonly ServiceId[]): Promise<void> {
  try {
    await inBatches(ids, (id) => unlessGone(call('services.cancelDrain', { id })));
    const [first = ''] = ids;
    const what = ids.length === 1 ? `Service ${first} accepts` : `${toCountOf(ids.length, 'service')} accept`;
    toasts.done(`${what} players again`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void services.refresh();
  }
}

/** Waits for a request. Ignores its failure if the service no longer exists. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_FOUND')) throw thrown;
  }
}

/**
 * Restarts one service. Ignores a service that no longer exists, or that has lost its process in the meantime: it
 * then starts from the latest files anyway.
 */
async function restartOne(id: ServiceId): Promise<void> {
  try {
    await unlessGone(call('services.restart', { id, kill: false }));
  } catch (thrown) {
    if (!hasCode(thrown, 'SERVICE_NOT_STARTED')) throw thrown;
  }
}

/**
 * Restarts services, several at a time, and shows how many succeed. The services keep their ids. A service that has
 * ended in the meantime counts as success.
 *
 * @returns the failures, after all services have been tried
 */
export async function restartServices(
  ids: readonly ServiceId[],
): Promise<readonly BatchFailure<ServiceId>[]> {
  const failures = await tryInBatches(ids, restartOne);
  void services.refresh();
  reportSuccess(ids, failures.length, (one) => `${one ? 'is' : 'are'} restarting`);
  return failures;
}

/**
 * Saves a service's whole stored log to a file chosen in the system's dialog, and shows the result. A failure becomes
 * a message that stays.
 */
export async function saveLog(id: ServiceId): Promise<void> {
  try {
    const { saved, lines } = await request('logs.save', { service: id });
    if (saved) toasts.done(`Saved ${toCountOf(lines, 'line')} of ${id}`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}

/**
 * Copies a text to the clipboard and shows the result. A failure becomes a message that stays.
 *
 * @param what name of the copied text in the message; for long texts
 */
export async function copyText(text: string, what = text): Promise<void> {
  try {
    await request('app.copyText', { text });
    toasts.done(`Copied ${what}`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
