import type { NodeInfo } from '#master/nodes/provider.ts';
import type { NodeSnapshot } from '#master/core/snapshot.ts';
import type { NodeWishes } from './holds.ts';

/** A node as its provider knows it, with what is wished of it. */
export type NodeView = NodeSnapshot & Pick<NodeInfo, 'kind' | 'address' | 'location' | 'note'>;

/**
 * Puts both together: a wish overrides READY, and nothing else. A node that boots, is lost or goes is in that state
 * whatever is wished.
 */
export function viewNode(info: NodeInfo, { held, locked, schedule, byRules }: NodeWishes): NodeView {
  const state = info.state === 'READY' ? scheduledState(schedule) : info.state;
  return {
    ...info,
    state,
    held,
    locked,
    silent: info.silentSince !== null,
    drainedByRules: state === 'DRAINING' && byRules,
    leaving: schedule === 'release',
  };
}

function scheduledState(schedule: NodeWishes['schedule']): NodeSnapshot['state'] {
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
