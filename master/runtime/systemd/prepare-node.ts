import type { NodeShell } from '#master/nodes/shell.ts';
import { NodeTool } from './node-tool.ts';
import { factsAnswer } from './tool-answers.ts';

/** The first time units are loaded and the journal is moved to the disk, ms. */
const SETUP_TIMEOUT_MS = 120_000;

/** What a node says of itself once it can run services. */
export interface NodeFacts {
  /** Its own Java runtime; null while it has none: only templates that bring one can start. */
  readonly java: { readonly path: string; readonly version: string | null } | null;
  /** Version of its systemd. */
  readonly systemd: string;
  /** So much its clock is ahead of the master's, ms; negative: behind. Exact to the time that the question took. */
  readonly clockAheadMs: number;
  readonly diskBytes: number;
  readonly diskFreeBytes: number;
}

/**
 * Makes a node able to run services: puts our tool there, the service user, units and folders. Quick when all is there
 * already, so that it can be done over each new connection.
 *
 * @param node its name, for errors
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, DISK_FULL
 */
export async function prepareNode(shell: NodeShell, node: string): Promise<NodeFacts> {
  const askedAt = Date.now();
  const { java, systemd, clock, diskBytes, diskFreeBytes } = await new NodeTool(node, shell).call({
    command: 'setup',
    what: 'make it able to run services',
    request: {},
    answer: factsAnswer,
    timeoutMs: SETUP_TIMEOUT_MS,
  });
  const clockAheadMs = Math.round(clock - (askedAt + Date.now()) / 2);
  return { java, systemd, clockAheadMs, diskBytes, diskFreeBytes };
}
