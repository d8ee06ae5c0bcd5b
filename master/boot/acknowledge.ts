import type { Handlers } from '#master/admin/api.ts';
import type { MethodName } from '#shared/rpc/contract.ts';

/** Methods whose changes are in the security log (control/feed/security-events.ts). */
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
 * Makes methods that change rights or settings answer only once their entry in the security log is on disk.
 *
 * @param flushed resolves when all entries are on disk, and the settings apply; if it rejects, the change is made,
 *   but the caller gets the error
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
