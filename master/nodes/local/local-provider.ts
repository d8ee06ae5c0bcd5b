import { availableParallelism, totalmem } from 'node:os';
import type { NodeInfo, Provider } from '../provider.ts';

/** Id of the one node that is this machine. */
export const LOCAL_NODE = 'local';

/** Left to the operating system and the master on the local node, MB. */
const RESERVED_MB = 1024;

const MB = 1_048_576;

/**
 * The machine the master runs on, as its only node.
 *
 * @param options.ramMb RAM for services; by default what is installed less 1 GB
 * @param options.hasJava asked anew at each refresh, as an admin may install one while the master runs
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
    // A JVM takes about one core while it starts; more at once make all of them slower.
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
