import type { Handlers } from '#master/admin/api.ts';
import type { MethodName } from '#shared/rpc/contract.ts';

/** Methods whose changes are recorded in the security log (control/feed/security-events.ts). */
const RECORDED_METHODS = [
  'keys.add',
  'keys.limit',
  'keys.remove',
  'config.update',
  'templates.create',
  'templates.update',
  'templates.duplicate',
  'templates.delete',
  'templates.restoreRevision',
  'balancer.adopt',
  'balancer.remove',
] as const satisfies readonly MethodName[];

/**
 * Delays the answers of methods that change rights or settings until their entries in the security log are on disk.
 *
 * @param flushed resolves when all entries are on disk and the current settings apply; if it rejects, the caller gets
 *   the error although the change was made
 */
export function acknowledgeRecorded(handlers: Handlers, flushed: () => Promise<void>): Handlers {
  const recorded = RECORDED_METHODS.map((method) => {
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
