import type { Logger } from 'pino';
import type { ServiceId } from '#shared/model/service.ts';
import type { ConfigStore } from '#master/store/config-store.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { Balancer } from '#master/balancer/balancer.ts';
import type { BackoffLimits } from '#master/core/placement/backoff.ts';
import type { PingPeriods } from '#master/core/ping-schedule.ts';
import type { Link } from '#master/link/link.ts';
import type { Provider } from '#master/nodes/provider.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import type { Adoptions } from './services/adoptions.ts';
import type { Evictions } from './services/evictions.ts';
import type { Overrides } from './overrides/overrides.ts';
import type { NodeBackoff } from './nodes/node-backoff.ts';
import type { NodeTimes } from './nodes/node-times.ts';
import type { NodeTroubles } from './nodes/node-troubles.ts';
import type { RecordStore } from './services/record-store.ts';
import type { StartBackoffs } from './services/start-backoffs.ts';
import type { Pinger } from './pings/pinger.ts';
import type { Topics } from './feed/topics.ts';
import type { Supplies } from '#master/ingress/service-setup.ts';
import type { Proxies } from '#master/ingress/proxy-templates.ts';

/** Times of the loop, ms. */
export interface Limits {
  /** Pause between rounds when nothing happens. */
  readonly roundMs: number;
  /** A service that answers no ping within this time of its start has failed, unless its log still moves. */
  readonly startTimeoutMs: number;
  /** A log that has not moved for this time does not excuse a longer start. */
  readonly startQuietMs: number;
  /** No start takes longer, whatever its log says. */
  readonly startMaximumMs: number;
  /** A running service that answers no ping for this time is marked unresponsive. */
  readonly unresponsiveAfterMs: number;
  /** What a server gets to save its worlds before it is ended the hard way. */
  readonly stopGraceMs: number;
  readonly backoff: BackoffLimits;
  readonly pings: PingPeriods;
}

/** Console logs of the services of all nodes. */
export interface ConsoleLogs {
  /** When a service last wrote to its log, ms since 1970; null when it has none. */
  changedAt(id: ServiceId): Promise<number | null>;
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
  readonly consoleLogs: ConsoleLogs;
  readonly sharedFiles: Pick<SharedFiles, 'folder' | 'fingerprint' | 'read' | 'onChange'>;
  readonly records: RecordStore;
  readonly adoptions: Adoptions;
  readonly evictions: Evictions;
  readonly troubles: NodeTroubles;
  readonly overrides: Overrides;
  readonly startBackoffs: StartBackoffs;
  readonly nodeBackoff: NodeBackoff;
  readonly nodeTimes: NodeTimes;
  readonly events: EventLog;
  readonly pinger: Pinger;
  readonly topics: Topics;
  readonly link: Link;
  readonly supplies: Supplies;
  readonly proxies: Proxies;
  /** Where others reach this machine. */
  readonly ownHost: string;
  /** The same as people are told it. */
  readonly shownHost: string;
  readonly balancer: Balancer;
}
