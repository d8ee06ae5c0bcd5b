import { monotonicMs } from '#shared/node/clock.ts';
import { SILENCE_GRACE_MS, type NodeInfo } from '#master/nodes/node.ts';
import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { Documents } from '../context/documents.ts';
import type { NodeAccess } from '../context/node-access.ts';
import type { NodeOverrides } from '../overrides/overrides.ts';

/** A node as its provider reports it, with its overrides. */
export type NodeView = Omit<NodeSnapshot, 'startBackoffs' | 'unsaved'> &
  Pick<NodeInfo, 'kind' | 'sharesUser' | 'address' | 'location' | 'note'>;

/**
 * Returns the node with its overrides applied. An override replaces only the state READY: a node that boots, is lost
 * or is being deleted keeps its state.
 *
 * Example: READY with the schedule `cordon` → CORDONED; BOOTING with `cordon` → BOOTING.
 *
 * @param clockMs time on the clock of {@link NodeInfo.silentSince} (ms)
 */
export function viewNode(info: NodeInfo, overrides: NodeOverrides, clockMs = monotonicMs()): NodeView {
  const { held, locked, schedule, byRules } = overrides;
  const state = info.state === 'READY' ? scheduledState(schedule) : info.state;
  return {
    ...info,
    state,
    held,
    locked,
    silent: silenceOf(info, clockMs),
    drainedByRules: state === 'DRAINING' && byRules,
    leaving: schedule === 'release',
  };
}

/** Returns all nodes with their overrides. */
export function viewNodes({
  registry,
  overrides,
}: Pick<NodeAccess, 'registry'> & Pick<Documents, 'overrides'>): NodeView[] {
  return registry.nodes().map((info) => viewNode(info, overrides.ofNode(info.id)));
}

/**
 * Returns `false` for a reachable node. For an unreachable node, returns `awaited` during the grace period before it
 * is declared lost, and `overdue` after that period. No replacement is ordered during the grace period.
 */
function silenceOf({ silentSince }: NodeInfo, clockMs: number): NodeSnapshot['silent'] {
  if (silentSince === null) return false;
  return clockMs - silentSince < SILENCE_GRACE_MS ? 'awaited' : 'overdue';
}

function scheduledState(schedule: NodeOverrides['schedule']): NodeSnapshot['state'] {
  switch (schedule) {
    case 'cordon':
      return 'CORDONED';
    case 'drain':
    case 'release':
      return 'DRAINING';
    case null:
      return 'READY';
  }
}
