import { availableParallelism, totalmem } from 'node:os';
import { LOCAL_NODE } from '#shared/model/node.ts';
import type { NodeInfo } from '../node.ts';

/** RAM reserved for the operating system and the master on the local node (MB). */
const RESERVED_MB = 1024;

const MB = 1_048_576;

/**
 * Returns a function that describes the master's own machine as a node.
 *
 * @param options.ramMb RAM for services (MB); default: installed RAM minus 1 GB, but at least 512 MB
 * @param options.hasJava reports whether services can get a Java runtime; called each time the machine is described,
 *   because an admin may install Java while the master runs
 */
export function localNode(options: {
  readonly ramMb?: number | undefined;
  readonly hasJava: () => Promise<boolean>;
}): () => Promise<NodeInfo> {
  const ramMb = options.ramMb ?? Math.max(512, Math.floor(totalmem() / MB) - RESERVED_MB);
  return async () => ({
    id: LOCAL_NODE,
    kind: 'local',
    state: 'READY',
    note: null,
    silentSince: null,
    unprepared: false,
    location: null,
    address: '127.0.0.1',
    ramMb,
    // A starting JVM uses about one core, so more starts in parallel would slow all of them down.
    startBudget: Math.max(2, availableParallelism()),
    hasJava: await options.hasJava(),
    sharesUser: true,
    rental: null,
  });
}
