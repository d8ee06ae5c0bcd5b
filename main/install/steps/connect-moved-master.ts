import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServerProblem } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import { warning } from '../check/problem.ts';
import type { JobControl, StepControl } from '../job/job-parts.ts';
import type { ServerOfMaster } from '../known-masters.ts';
import { waitForMovedMaster, isWithoutNodes, type MovedMasterState } from './ask-master.ts';
import { reachMaster } from './reach-master.ts';

interface MovedMasterFacts {
  /** Id of the connection to the master. */
  readonly connection: string;
  /** Port of the master's SSH server. */
  readonly port: number;
  /** Host key of the old master. The new master must show the same key. */
  readonly masterHostKey: string;
  readonly server: ServerOfMaster;
  /** Ids of the nodes that the old master observed. */
  readonly nodes: readonly string[];
  /** Problems that were found before. */
  readonly known: readonly ServerProblem[];
  readonly old: OldServer;
  /**
   * Called if the new master cannot reach the nodes and has made no decisions. The old master can then take over
   * again.
   */
  onLost(): void;
}

interface OldServer {
  /** `host:port` */
  readonly address: string;
  readonly managesHaproxy: boolean;
}

/**
 * Logs in to the moved master, waits until it observes the nodes, and changes the connection to its address. Fails if
 * the new master cannot reach nodes and has made no decisions. Once it makes decisions, a node that it does not
 * observe is only reported as a problem.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, MASTER_UNREACHABLE, HOST_KEY_CHANGED, AUTH_REFUSED,
 *   CONNECTION_NOT_FOUND
 */
export async function connectMovedMaster(
  job: JobControl,
  step: StepControl,
  facts: MovedMasterFacts,
): Promise<void> {
  const { signal } = job;
  const { identity, masters } = job.parts;
  const { connection, port, masterHostKey, server, nodes, known, old } = facts;
  const target = { host: server.host, port, pin: masterHostKey };
  await reachMaster(step, { target, identity, signal });
  const state = await waitForMovedMaster({ target, identity }, { nodes, signal });
  if (isWithoutNodes(state)) {
    facts.onLost();
    const nodesText = state.lacking.join(', ');
    const why = `the new master cannot reach ${nodesText}; it has decided nothing yet. Make sure that it can reach their SSH port`;
    throw new OverworldError('INSTALL_STEP_FAILED', { step: 'reach', address: server.host, why });
  }
  await masters.relocate(connection, { host: server.host, port, hostKey: masterHostKey, server });
  job.report({ problems: [...known, ...movedMasterProblems(state)] });
  step.detail(`The master serves at ${addressOf(target)}. ${remainingSteps(old, server.host)}`);
}

/** Returns the problems that the new master has after the move. Pure. */
export function movedMasterProblems({ hasSynced, lacking }: MovedMasterState): ServerProblem[] {
  const network = "Make sure that the new server's address can reach their SSH port.";
  if (lacking.length > 0) {
    return [warning(`The new master does not observe ${lacking.join(', ')} yet. ${network}`)];
  }
  const later = 'Its overview shows the reason under Problems.';
  return hasSynced ? [] : [warning(`The new master makes no decisions yet. ${later}`)];
}

/** Returns sentences that tell the person what remains to be done on the two servers. Pure. */
export function remainingSteps({ address, managesHaproxy }: OldServer, newHost: string): string {
  const haproxy = managesHaproxy
    ? `Change the address that players join to ${newHost}; HAProxy on the old server keeps its players until they leave. `
    : '';
  const backups =
    'If backups were scheduled, schedule them on the new server, too: overworld-master backup schedule daily. ';
  return `${haproxy}${backups}The old master on ${address} is stopped and disabled, and keeps its data for going back. Later, remove it there: apt-get remove overworld-master; rm -r /var/lib/overworld`;
}
