import type { Logger } from 'pino';
import type { ConfigStore } from '#master/store/config-store.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { Balancer } from '#master/balancer/balancer.ts';
import type { BackoffLimits } from '#master/core/backoff.ts';
import type { Link } from '#master/link/link.ts';
import type { Provider } from '#master/nodes/provider.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import type { Adoptions } from './adoptions.ts';
import type { Evictions } from './evictions.ts';
import type { Holds } from './holds.ts';
import type { NodeTroubles } from './node-troubles.ts';
import type { RecordStore } from './record-store.ts';
import type { Setbacks } from './setbacks.ts';
import type { Pinger } from './pinger.ts';
import type { Topics } from './topics.ts';
import type { Supplies } from './way-in/given.ts';
import type { Proxies } from './way-in/proxy-templates.ts';

/** Times of the loop, ms. */
export interface Limits {
  /** Pause between rounds when nothing happens. */
  readonly roundMs: number;
  /** A service that answers no ping within this time of its start has failed. */
  readonly startTimeoutMs: number;
  /** A running service that answers no ping for this time is marked unresponsive. */
  readonly unresponsiveAfterMs: number;
  /** What a server gets to save its worlds before it is ended the hard way. */
  readonly stopGraceMs: number;
  readonly backoff: BackoffLimits;
}

/** All that the loop works with; built in the composition root, replaced one by one in tests. */
export interface Parts {
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: Limits;
  readonly config: ConfigStore;
  readonly templates: TemplateFolders;
  readonly provider: Provider;
  readonly runtimeOf: (node: string) => Runtime;
  /** Has the console logs of all services that have ended, wherever they ran. */
  readonly keeper: Runtime;
  readonly records: RecordStore;
  readonly adoptions: Adoptions;
  readonly evictions: Evictions;
  readonly troubles: NodeTroubles;
  readonly holds: Holds;
  readonly setbacks: Setbacks;
  readonly events: EventLog;
  readonly pinger: Pinger;
  readonly topics: Topics;
  readonly link: Link;
  readonly supplies: Supplies;
  readonly proxies: Proxies;
  /** Where others reach this machine. */
  readonly ownHost: string;
  readonly balancer: Balancer;
}
