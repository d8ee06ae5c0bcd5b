import type { NodeShell } from '#master/nodes/shell.ts';
import type { LabNode } from '#test/lab/kit/node.ts';
import type { Stage } from '#test/lab/stage/stage.ts';
import { servicesOf } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';

const GONE_TIMEOUT_MS = 60_000;

/**
 * Cloud node that already runs services of the template, with a connection in addition to the master's connection.
 */
export interface WarmNode {
  readonly fixture: Stage;
  readonly node: LabNode;
  /** Connection that is always open. It uses the master's key. */
  readonly shell: NodeShell;
}

/** Waits until exactly the services with these IDs exist. */
export async function untilOnly({ master }: Stage, ids: ReadonlySet<string>): Promise<void> {
  await waitFor(async () => (await servicesOf(master)).every(({ id }) => ids.has(id)), {
    timeoutMs: GONE_TIMEOUT_MS,
    what: 'all other services to be gone',
  });
}
