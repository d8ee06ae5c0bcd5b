import type { NodeNames } from '#master/nodes/node-names.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { NodeTool } from './node-tool.ts';
import { factsAnswer } from './tool-answers.ts';

/** Time limit of the set-up (ms). The first set-up loads units and moves the journal to the disk. */
const SETUP_TIMEOUT_MS = 120_000;

/** Facts that a node reports once it can run services. */
export interface NodeFacts {
  /** The node's own Java runtime; null if the node has none. Then only templates with their own runtime can start. */
  readonly java: { readonly path: string; readonly version: string | null } | null;
  /** Version of systemd on the node. */
  readonly systemd: string;
  /**
   * Difference between the node's clock and the master's (ms); negative if the node's clock is behind. Accurate to
   * the duration of the query.
   */
  readonly clockAheadMs: number;
  readonly diskBytes: number;
  readonly diskFreeBytes: number;
}

/** How a node is prepared. */
export interface NodePreparation {
  /** Name of the node for error messages. */
  readonly node: string;
  /** Port of the master's SSH server, which the node's firewall closes to services; 0 if it is not known. */
  readonly masterPort: number;
  /** Names of users and folders on the node; default: the names on a machine other than the master's. */
  readonly names?: NodeNames;
}

/**
 * Prepares a node to run services: installs the tool, the service user, units and folders. The call is fast on a
 * node that is already prepared, so it can be made for each new connection. Takes at most 2 min.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, DISK_FULL
 */
export async function prepareNode(
  shell: NodeShell,
  { node, masterPort, names }: NodePreparation,
): Promise<NodeFacts> {
  const askedAt = Date.now();
  const { java, systemd, clock, diskBytes, diskFreeBytes } = await new NodeTool(node, shell, { names }).call({
    command: 'setup',
    what: 'prepare the machine for services',
    request: { masterPort },
    answer: factsAnswer,
    timeoutMs: SETUP_TIMEOUT_MS,
  });
  const clockAheadMs = Math.round(clock - (askedAt + Date.now()) / 2);
  return { java, systemd, clockAheadMs, diskBytes, diskFreeBytes };
}
