import type { Handlers } from '#master/admin/api.ts';
import { recordedKinds } from '#master/control/feed/security-events.ts';

/** Methods that add an event for the security log before they answer. */
const RECORDED_METHODS = [...new Set(Object.values(recordedKinds).flat())];

/**
 * Method that waits for the security log itself, because it may close the connection that carries its answer
 * (admin/handlers/sessions.ts).
 */
const WAITS_ITSELF = 'sessions.end';

/**
 * Delays the answers of methods whose changes are recorded in the security log until their entries are on disk.
 *
 * @param flushed resolves when all entries are on disk and the current settings apply; if it rejects, the caller gets
 *   the error although the change was made
 */
export function acknowledgeRecorded(handlers: Handlers, flushed: () => Promise<void>): Handlers {
  const recorded = RECORDED_METHODS.filter((method) => method !== WAITS_ITSELF).map((method) => {
    // The parameters of a method and its handler have matching types, but TypeScript cannot check this for a list of
    // methods.
    const handler = handlers[method] as (...args: unknown[]) => unknown;
    return [
      method,
      async (...args: unknown[]): Promise<unknown> => {
        const result = await handler(...args);
        await flushed();
        return result;
      },
    ] as const;
  });
  return { ...handlers, ...(Object.fromEntries(recorded) as Partial<Handlers>) };
}
