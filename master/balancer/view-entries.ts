import { serviceIdSchema } from '#shared/model/service-id.ts';
import type { BalancerEntry } from '#shared/model/player-entry.ts';
import type { RuntimeState } from './runtime/runtime-state.ts';

/** Returns the state (`open`, `draining` or `unhealthy`) and the number of connections of each proxy in HAProxy. */
export function viewEntries({ servers }: RuntimeState): BalancerEntry[] {
  return servers.flatMap(({ name, isClosed, isDown, connections }) => {
    const service = serviceIdSchema.safeParse(name);
    if (!service.success) return [];
    const state = isClosed ? 'draining' : isDown ? 'unhealthy' : 'open';
    return [{ service: service.data, state, connections }];
  });
}
