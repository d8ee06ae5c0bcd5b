import Ban from '@lucide/svelte/icons/ban';
import CirclePause from '@lucide/svelte/icons/circle-pause';
import CirclePlay from '@lucide/svelte/icons/circle-play';
import Lock from '@lucide/svelte/icons/lock';
import LockOpen from '@lucide/svelte/icons/lock-open';
import LogOut from '@lucide/svelte/icons/log-out';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Undo2 from '@lucide/svelte/icons/undo-2';
import type { Node } from '#shared/model/node.ts';
import type { MenuItem } from '../../ui/menu.ts';
import { moveRefusal, releaseRefusal } from '../../view/node.ts';
import { holdNode, lockNode, said, scheduleNode, type Asked } from './node-actions.ts';

interface Options {
  /** Why nothing can be done now; undefined when it can. */
  readonly refusal: string | undefined;
  /** What moves services away is asked about first. */
  readonly onask: (asked: Asked) => void;
}

/** What can be done to a node: the same lines in every menu. */
export function nodeMenu(node: Node, { refusal, onask }: Options): readonly MenuItem[] {
  const { id, held } = node;
  return [
    {
      label: 'Cordon node',
      icon: Ban,
      disabledBecause: refusal ?? moveRefusal(node, 'cordon'),
      onselect: () => void said(() => scheduleNode(id, 'cordon')),
    },
    {
      label: 'Drain node…',
      icon: LogOut,
      disabledBecause: refusal ?? moveRefusal(node, 'drain'),
      onselect: () => onask({ node, to: 'drain' }),
    },
    {
      label: node.leaving ? 'Keep node' : 'Resume node',
      icon: RotateCcw,
      disabledBecause: refusal ?? (node.leaving ? undefined : moveRefusal(node, 'resume')),
      onselect: () => void said(() => scheduleNode(id, 'resume')),
    },
    { kind: 'separator' },
    {
      label: held ? 'Put node back' : 'Hold node',
      icon: held ? CirclePlay : CirclePause,
      disabledBecause: refusal,
      onselect: () => void holdNode(id, !held),
    },
    ...(node.rental === null ? [] : rentedLines(node, { refusal, onask })),
  ];
}

/** Only what is rented can be given back, or kept from it. */
function rentedLines(node: Node, { refusal, onask }: Options): readonly MenuItem[] {
  const { id, locked } = node;
  return [
    {
      label: locked ? 'Unlock node' : 'Lock node',
      icon: locked ? LockOpen : Lock,
      disabledBecause: refusal,
      onselect: () => void lockNode(id, !locked),
    },
    { kind: 'separator' },
    {
      label: 'Give node back…',
      icon: Undo2,
      danger: true,
      disabledBecause: refusal ?? releaseRefusal(node),
      onselect: () => onask({ node, to: 'release' }),
    },
  ];
}
