import { serviceIdSchema } from '#shared/model/service-id.ts';
import type { BalancerEntry } from '#shared/model/way-in.ts';
import type { Seen } from './runtime/seen.ts';

/** Returns HAProxy's state of each proxy, as shown to the admin. */
export function viewEntries({ servers }: Seen): BalancerEntry[] {
  return servers.flatMap(({ name, isClosed, isDown, connections }) => {
    const service = serviceIdSchema.safeParse(name);
    if (!service.success) return [];
    const state = isClosed ? 'draining' : isDown ? 'unhealthy' : 'open';
    return [{ service: service.data, state, connections }];
  });
}
