import { monotonicMs } from '#shared/node/clock.ts';
import type { NodeInfo } from '#master/nodes/provider.ts';
import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { NodeOverrides } from '../overrides/overrides.ts';
import { SILENCE } from './node-silence.ts';

/** A node as its provider knows it, with what is wished of it. */
export type NodeView = Omit<NodeSnapshot, 'startBackoffs'> &
  Pick<NodeInfo, 'kind' | 'address' | 'location' | 'note'>;

/**
 * Puts both together: a wish overrides READY, and nothing else. A node that boots, is lost or goes is in that state
 * whatever is wished.
 *
 * @param clockMs on the clock of {@link NodeInfo.silentSince}
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

/** As long as a node is not given up yet for its silence alone, another one is not ordered for that alone either. */
function silenceOf({ silentSince }: NodeInfo, clockMs: number): NodeSnapshot['silent'] {
  if (silentSince === null) return false;
  return clockMs - silentSince < SILENCE.graceMs ? 'awaited' : 'overdue';
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
