import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Node } from '#shared/model/node.ts';
import { call } from '../../bridge/bridge.ts';
import { nodes } from '../../stores/nodes.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';

type NodeId = Node['id'];

/** An action that needs confirmation. */
export interface NodeQuestion {
  readonly node: Node;
  readonly to: 'drain' | 'release';
}

const scheduled = {
  cordon: 'accepts no new services',
  drain: 'is draining',
  release: 'is released once it is empty',
  resume: 'accepts services again',
} as const;

/**
 * Cordons, drains, releases or resumes a node, and shows the result.
 *
 * @throws OverworldError as `nodes.schedule` does
 */
export async function scheduleNode(id: NodeId, to: keyof typeof scheduled): Promise<void> {
  try {
    await call('nodes.schedule', { id, to });
    toasts.done(`Node ${id} ${scheduled[to]}`);
  } finally {
    void nodes.refresh();
  }
}

/** Pauses or resumes the automation of a node and shows the result. A failure becomes a message that stays. */
export async function setNodePaused(id: NodeId, held: boolean): Promise<void> {
  await reportFailure(async () => {
    await call('nodes.hold', { id, held });
    toasts.done(`Automation of node ${id} is ${held ? 'paused' : 'resumed'}`);
  });
}

/**
 * Protects a cloud node from release, or allows its release, and shows the result. A failure becomes a message that
 * stays.
 */
export async function setNodeProtected(id: NodeId, locked: boolean): Promise<void> {
  await reportFailure(async () => {
    await call('nodes.lock', { id, locked });
    toasts.done(locked ? `Node ${id} is protected from release` : `Node ${id} can be released again`);
  });
}

/** Performs an action on a node. A failure becomes a message that stays. */
export async function reportFailure(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  } finally {
    void nodes.refresh();
  }
}
