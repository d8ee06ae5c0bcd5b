import { availableParallelism, totalmem } from 'node:os';
import type { NodeInfo, Provider } from '../provider.ts';

/** Id of the node that is the master's own machine. */
export const LOCAL_NODE = 'local';

/** RAM reserved for the operating system and the master on the local node (MB). */
const RESERVED_MB = 1024;

const MB = 1_048_576;

/**
 * Creates the provider of the master's own machine, its only node.
 *
 * @param options.ramMb RAM for services (MB); default: installed RAM minus 1 GB
 * @param options.hasJava called at each refresh, because an admin may install Java while the master runs
 */
export async function openLocalProvider(options: {
  readonly ramMb?: number | undefined;
  readonly hasJava: () => Promise<boolean>;
}): Promise<Provider> {
  const ramMb = options.ramMb ?? Math.max(512, Math.floor(totalmem() / MB) - RESERVED_MB);
  const look = async (): Promise<NodeInfo> => ({
    id: LOCAL_NODE,
    kind: 'local',
    state: 'READY',
    note: null,
    silentSince: null,
    unprepared: false,
    location: null,
    address: '127.0.0.1',
    ramMb,
    // A starting JVM uses about one core; more starts in parallel would slow all of them down.
    startBudget: Math.max(2, availableParallelism()),
    hasJava: await options.hasJava(),
    rental: null,
  });
  let node = await look();
  return {
    nodes: () => [node],
    refresh: async () => {
      node = await look();
    },
    listed: () => true,
    trouble: () => null,
    market: () => null,
    rents: null,
  };
}
