import type { NodeNames } from '#master/nodes/node-names.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { NodeTool } from './node-tool.ts';
import { doneAnswer } from './tool-answers.ts';

/** Sources that may connect to game servers on the master's machine from other machines (docs/adr/0051). */
export interface Admitted {
  /** Addresses of other nodes. */
  readonly nodes: readonly string[];
  /** Rules of the admin for TCP: a port or a range `from-to`, and the sources in CIDR notation. */
  readonly rules: readonly { readonly port: string; readonly sources: readonly string[] }[];
}

/**
 * Sets, in the firewall of the machine on which the master runs, who may connect to the game servers there.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, DISK_FULL
 */
export async function admitToNode(
  shell: NodeShell,
  {
    node,
    names,
    admitted,
  }: { readonly node: string; readonly names: NodeNames; readonly admitted: Admitted },
): Promise<void> {
  await new NodeTool(node, shell, { names }).call({
    command: 'admit',
    what: 'set up its firewall',
    request: admitted,
    answer: doneAnswer,
  });
}
