import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { Deadline } from '#shared/node/clock.ts';
import type { Result } from '#shared/rpc/contract.ts';
import type { RpcClient } from '../../connections/rpc-client.ts';
import type { MasterAddress } from '../../connections/ssh.ts';
import { withAdminApi } from '../../connections/with-admin-api.ts';
import type { AppIdentity } from '../../vault/identity.ts';

/** Id of the node that is the master's own machine. */
const LOCAL_NODE = 'local';

/** Maximum time until a moved master observes the nodes that the old master observed (ms). */
const OBSERVE_WITHIN_MS = 180_000;

/**
 * Maximum time for a moved master to reach the nodes (ms). The master makes no decisions until it has observed every
 * node or ten minutes have passed (docs/adr/0033). So within this time, a return to the old master is safe.
 */
const UNDECIDED_WITHIN_MS = 75_000;

const PAUSE_MS = 1_000;

interface Asked {
  readonly target: MasterAddress;
  readonly identity: AppIdentity;
}

/** What the old master reports before it is stopped. */
export interface OldMaster {
  /** Ids of the nodes that the master observes. Empty if its version does not report them. */
  readonly observed: readonly string[];
  /** Ids of the services on its own machine. */
  readonly localServices: readonly string[];
}

/**
 * Asks a master what it manages.
 *
 * @throws OverworldError MASTER_UNREACHABLE, HOST_KEY_CHANGED, HOST_KEY_UNKNOWN, AUTH_REFUSED, API_VERSION_MISMATCH
 */
export async function askOldMaster(asked: Asked): Promise<OldMaster> {
  return withAdminApi(asked, async ({ rpc }) => {
    const { services } = await rpc.call('services.list', {});
    const localServices = services.filter(({ node }) => node === LOCAL_NODE).map(({ id }) => id);
    return { localServices, observed: (await readiness(rpc))?.observed ?? [] };
  });
}

/** Returns a master's answer to `master.readiness`. Null if the master's version does not know the method. */
async function readiness(rpc: RpcClient): Promise<Result<'master.readiness'> | null> {
  try {
    return await rpc.call('master.readiness', {});
  } catch (error) {
    if (hasCode(error, 'UNSUPPORTED_BY_MASTER')) return null;
    throw error;
  }
}

/** Progress of a moved master. */
export interface MovedMasterState {
  readonly hasSynced: boolean;
  /** Ids of the expected nodes that the master does not observe. */
  readonly lacking: readonly string[];
}

/**
 * Waits until a moved master makes decisions and observes the given nodes. Gives up after 3 minutes, or after 75 s if
 * the master makes no decisions because it cannot reach nodes.
 *
 * @returns the last state of the master, whether it is ready or not
 * @throws OverworldError as `withAdminApi` does, or the signal's abort reason
 */
export async function waitForMovedMaster(
  asked: Asked,
  { nodes, signal }: { readonly nodes: readonly string[]; readonly signal: AbortSignal },
): Promise<MovedMasterState> {
  const deadline = new Deadline();
  deadline.set(OBSERVE_WITHIN_MS);
  const undecided = new Deadline();
  undecided.set(UNDECIDED_WITHIN_MS);
  for (;;) {
    signal.throwIfAborted();
    const answer = await withAdminApi(asked, ({ rpc }) => readiness(rpc));
    const state = {
      hasSynced: answer?.hasSynced ?? true,
      lacking: nodes.filter((node) => answer?.unobserved.includes(node)),
    };
    const isThere = state.hasSynced && state.lacking.length === 0;
    if (isThere || deadline.isOver || (isWithoutNodes(state) && undecided.isOver)) return state;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Returns whether a master has made no decisions because it cannot reach nodes. Pure. */
export function isWithoutNodes({ hasSynced, lacking }: MovedMasterState): boolean {
  return !hasSynced && lacking.length > 0;
}
