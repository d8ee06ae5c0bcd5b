import Ban from '@lucide/svelte/icons/ban';
import CirclePause from '@lucide/svelte/icons/circle-pause';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import Lock from '@lucide/svelte/icons/lock';
import LockOpen from '@lucide/svelte/icons/lock-open';
import LogOut from '@lucide/svelte/icons/log-out';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Undo2 from '@lucide/svelte/icons/undo-2';
import type { Node } from '#shared/model/node.ts';
import type { MenuItem } from '../../ui/overlay/menu.ts';
import { moveRefusal, releaseRefusal } from '../../view/node.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { inBatches } from '../in-batches.ts';
import {
  setNodePaused,
  setNodeProtected,
  reportFailure,
  scheduleNode,
  type NodeQuestion,
} from './node-actions.ts';

interface Options {
  /** Why nodes cannot be changed now. Undefined if they can. */
  readonly refusal: string | undefined;
  /** Called to ask for confirmation before services are moved away. */
  readonly onask: (asked: NodeQuestion) => void;
}

/** Returns the actions on a node. Every menu offers the same actions. */
export function nodeMenu(node: Node, { refusal, onask }: Options): readonly MenuItem[] {
  const { id, held } = node;
  return [
    {
      label: 'Stop new services',
      icon: Ban,
      disabledBecause: refusal ?? moveRefusal(node, 'cordon'),
      onselect: () => void reportFailure(() => scheduleNode(id, 'cordon')),
    },
    {
      label: 'Drain node…',
      icon: LogOut,
      disabledBecause: refusal ?? moveRefusal(node, 'drain'),
      onselect: () => onask({ node, to: 'drain' }),
    },
    {
      label: node.leaving ? 'Cancel release' : 'Allow new services',
      icon: RotateCcw,
      disabledBecause: refusal ?? (node.leaving ? undefined : moveRefusal(node, 'resume')),
      onselect: () => void reportFailure(() => scheduleNode(id, 'resume')),
    },
    { kind: 'separator' },
    {
      label: held ? 'Resume automation' : 'Pause automation',
      icon: held ? CirclePlay : CirclePause,
      disabledBecause: refusal,
      onselect: () => void setNodePaused(id, !held),
    },
    ...(node.rental === null ? [] : rentedLines(node, { refusal, onask })),
  ];
}

/**
 * Returns the actions on several nodes. Omits drain and release, because each node needs its own confirmation for
 * them.
 */
export function nodesMenu(
  nodes: readonly Node[],
  { refusal }: Pick<Options, 'refusal'>,
): readonly MenuItem[] {
  const what = toCountOf(nodes.length, 'node');
  const allPaused = nodes.every(({ held }) => held);
  const movable = (to: 'cordon' | 'resume'): readonly Node[] =>
    nodes.filter((one) => moveRefusal(one, to) === undefined);
  return [
    ...(['cordon', 'resume'] as const).map((to) => ({
      label: `${to === 'cordon' ? 'Stop' : 'Allow'} new services on ${what}`,
      icon: to === 'cordon' ? Ban : RotateCcw,
      disabledBecause: refusal ?? (movable(to).length === 0 ? 'Not possible for any of them' : undefined),
      onselect: () => void reportFailure(() => inBatches(movable(to), ({ id }) => scheduleNode(id, to))),
    })),
    { kind: 'separator' },
    {
      label: `${allPaused ? 'Resume' : 'Pause'} automation of ${what}`,
      icon: allPaused ? CirclePlay : CirclePause,
      disabledBecause: refusal,
      onselect: () =>
        void inBatches(
          nodes.filter(({ held }) => held === allPaused),
          ({ id }) => setNodePaused(id, !allPaused),
        ),
    },
  ];
}

/** Returns the actions that only a cloud node has: release, and protection from release. */
function rentedLines(node: Node, { refusal, onask }: Options): readonly MenuItem[] {
  const { id, locked } = node;
  return [
    {
      label: locked ? 'Allow release' : 'Protect from release',
      icon: locked ? LockOpen : Lock,
      disabledBecause: refusal,
      onselect: () => void setNodeProtected(id, !locked),
    },
    { kind: 'separator' },
    {
      label: 'Release node…',
      icon: Undo2,
      danger: true,
      disabledBecause: refusal ?? releaseRefusal(node),
      onselect: () => onask({ node, to: 'release' }),
    },
  ];
}
