import type { ServiceId } from '#shared/model/service.ts';
import type { KeptRun } from '#shared/model/service-files.ts';
import type { KeyedSlots } from '#shared/node/keyed-slots.ts';
import type { NodeRegistry } from '#master/nodes/node.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { NodeBackoff } from '../nodes/node-backoff.ts';
import type { CostStore } from '../costs/cost-store.ts';
import type { NodeTimes } from '../nodes/node-times.ts';

/** Console logs of the services on all nodes. */
export interface ConsoleLogs {
  /** Returns when a service last wrote to its log (ms since epoch). Null if it has no log. */
  changedAt(id: ServiceId): Promise<number | null>;
}

/** Crash reports and logs of services that have ended. */
export interface KeptFilesReader {
  /** Returns the kept files of a service, one entry for each of its runs. The run that ended last comes first. */
  list(id: ServiceId): Promise<readonly KeptRun[]>;
  /**
   * Returns the text of a kept file, and whether it is complete. @throws OverworldError FILE_NOT_FOUND,
   * FILE_FORBIDDEN
   */
  read(
    id: ServiceId,
    endedAt: number,
    path: string,
  ): Promise<{ readonly text: string; readonly whole: boolean }>;
}

/** The nodes, the services on them, and data about nodes that the control loop keeps between rounds. */
export interface NodeAccess {
  readonly registry: NodeRegistry;
  readonly runtimeOf: (node: string) => Runtime;
  /** Limits the calls to each node about files of its services. Users cause these calls. */
  readonly fileCalls: KeyedSlots;
  /** The runtime that stores the console logs of all services that have exited, whatever node they ran on. */
  readonly keeper: Runtime;
  readonly consoleLogs: ConsoleLogs;
  readonly keptFiles: KeptFilesReader;
  readonly nodeBackoff: NodeBackoff;
  readonly nodeTimes: NodeTimes;
  /** Costs of the cloud nodes, including released ones. */
  readonly costs: CostStore;
}
