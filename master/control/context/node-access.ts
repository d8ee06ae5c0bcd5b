import type { ServiceId } from '#shared/model/service.ts';
import type { Provider } from '#master/nodes/provider.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { NodeBackoff } from '../nodes/node-backoff.ts';
import type { NodeTimes } from '../nodes/node-times.ts';
import type { NodeTroubles } from '../nodes/node-troubles.ts';

/** Console logs of the services of all nodes. */
export interface ConsoleLogs {
  /** When a service last wrote to its log, ms since epoch; null when it has none. */
  changedAt(id: ServiceId): Promise<number | null>;
}

/** The nodes, the services on them, and what the loop remembers of nodes between rounds. */
export interface NodeAccess {
  readonly provider: Provider;
  readonly runtimeOf: (node: string) => Runtime;
  /** Keeps the console logs of all services that have ended, wherever they ran. */
  readonly keeper: Runtime;
  readonly consoleLogs: ConsoleLogs;
  readonly troubles: NodeTroubles;
  readonly nodeBackoff: NodeBackoff;
  readonly nodeTimes: NodeTimes;
}
