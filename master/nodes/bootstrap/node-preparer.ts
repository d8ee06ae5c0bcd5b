import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { Machine, Machines } from '../machines.ts';
import type { NodeShell } from '../shell.ts';
import { REMOTE_NODE, type NodeNames } from '../node-names.ts';
import { replaceHostKey } from './host-key.ts';
import { inspect, type NodeInspection } from './inspect.ts';
import { whyOf } from '../why-of.ts';
import { runBootstrap, setUp } from './set-up.ts';
import { warningOf } from './warnings.ts';
import { chooseSeenAddresses } from './seen-addresses.ts';

/** State of a node that is ready. */
export interface NodeReadiness {
  readonly hasJava: boolean;
  /** Problem that does not prevent the node from working, as one sentence; null if there is none. */
  readonly warning: string | null;
}

/**
 * Thrown if a node works but cannot be prepared for services at the moment. The message is a clause with the
 * reason.
 */
export class NotPrepared extends Error {}

/** A node on which the master is logged in. */
export interface NodeSession {
  readonly machine: Machine;
  readonly shell: NodeShell;
  /** Fingerprint of the host key that the node presented. */
  readonly hostKey: string;
  /** Reports the current step as a sentence for users. */
  readonly step: (text: string) => void;
  /** Stores the fingerprints of the host keys that the node may present from now on. */
  readonly pin: (hostKeys: readonly string[]) => Promise<void>;
}

/** Sets up nodes and checks them. */
export interface NodePreparer {
  /**
   * Performs the missing steps of the set-up; a node that was ready before needs almost none.
   *
   * @returns the properties of the ready node; `reconnect` if the node presents another host key from now on, so that
   *   the caller must connect again and repeat the call
   * @throws NotPrepared if the node works but cannot be prepared; OverworldError NODE_UNREACHABLE, and
   *   NODE_TOOL_FAILED if the node does not run commands properly
   */
  prepare(session: NodeSession): Promise<NodeReadiness | 'reconnect'>;
  /**
   * Checks a node that is ready, and retries the installation of Java if Java is missing.
   *
   * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED
   */
  check(session: Pick<NodeSession, 'machine' | 'shell'>): Promise<NodeReadiness>;
  /**
   * Discards the known addresses of the master, because they may have changed. The firewall then accepts SSH from
   * any address until a node reports the master's address.
   */
  doubtAddresses(): void;
  /** Discards the stored data about a node that is no longer managed. */
  forget(node: string): void;
}

/** Dependencies of the set-up of nodes. */
export interface NodePreparerOptions {
  /** Names of users and folders on the nodes; default {@link REMOTE_NODE}. */
  readonly names?: NodeNames | undefined;
  readonly prepare: (shell: NodeShell, machine: Machine) => Promise<void>;
  readonly allowMaster: Machines['allowMaster'];
  /** Reports whether this machine has an address, or a person has configured it as the master's. */
  readonly isOwnAddress: (address: string) => boolean;
  /** Returns the number of nodes that may report an address. */
  readonly countNodes: () => number;
  readonly log: { warn(details: object, message: string): void };
}

/** Minimum delay between a failed attempt to install Java and the next one (s). */
const JAVA_AGAIN_S = 300;

/** Free disk space below which there may be no room for Overworld's files (KiB). */
const FULL_KB = 1_024;

/**
 * Creates a {@link NodePreparer}, which prepares nodes and collects the addresses from which they see the master.
 *
 * @param options functions that prepare a node for its runtime, receive the master's addresses, and write to the log
 */
export function nodePreparer(options: NodePreparerOptions): NodePreparer {
  const { names = REMOTE_NODE } = options;
  const cameFrom = new Map<string, string>();

  const reportAddresses = (): void => {
    const reports = [...cameFrom.values()];
    const [first] = reports;
    // If one node alone reports an address that is not the master's own, other nodes may contradict this report. The
    // addresses stay unchanged until a second node reports an address.
    const isLone = reports.length === 1 && first !== undefined && !options.isOwnAddress(first);
    if (isLone && options.countNodes() > 1) return;
    const { addresses, isComplete } = chooseSeenAddresses(reports, options.isOwnAddress);
    options.allowMaster(addresses, isComplete);
  };

  const noteAddress = (node: string, { client }: NodeInspection): void => {
    if (client === null || cameFrom.get(node) === client) return;
    cameFrom.set(node, client);
    reportAddresses();
  };

  const prepareNode = async ({
    machine,
    shell,
    hostKey,
    step,
    pin,
  }: NodeSession): Promise<NodeReadiness | 'reconnect'> => {
    const { node, sshPort, hostKeys } = machine;
    const found = await setUp({ node, shell, sshPort, step, names });
    noteAddress(node, found);
    if (machine.readyAt === null && found.cloudErrors !== null) {
      options.log.warn({ node, errors: found.cloudErrors }, 'cloud-init reported errors on a new node');
    }
    checkPython(node, found);
    // The master's machine has its own host key. So does a node that was ready before, unless two keys are stored
    // because the replacement of the first key was interrupted.
    if (names.masterFolders === null && (machine.readyAt === null || hostKeys.length !== 1)) {
      step('Replacing the initial host key.');
      const keeper = { node, shell, shown: hostKey, pins: hostKeys, pin };
      if ((await replaceHostKey(keeper)) === 'changed') return 'reconnect';
    }
    step('Installing what services need.');
    await options.prepare(shell, machine);
    return readinessOf(found);
  };

  return {
    async prepare(session) {
      try {
        return await prepareNode(session);
      } catch (error) {
        if (hasCode(error, 'NODE_UNREACHABLE')) throw error;
        throw await whyNotPrepared(session, error, names);
      }
    },
    async check({ machine, shell }) {
      const { node, sshPort } = machine;
      const found = await inspect(shell, node, names);
      noteAddress(node, found);
      if (found.java !== null || (found.javaTriedAgo ?? JAVA_AGAIN_S) < JAVA_AGAIN_S)
        return readinessOf(found);
      await runBootstrap({ node, shell, sshPort, names });
      return readinessOf(await inspect(shell, node, names));
    },
    doubtAddresses: () => {
      cameFrom.clear();
      options.allowMaster([], false);
    },
    forget(node) {
      if (cameFrom.delete(node) && cameFrom.size > 0) reportAddresses();
    },
  };
}

/**
 * Inspects a node that could not be prepared, and returns the reason.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED if the node does not run commands properly
 */
async function whyNotPrepared(
  { machine: { node }, shell }: Pick<NodeSession, 'machine' | 'shell'>,
  error: unknown,
  names: NodeNames,
): Promise<NotPrepared> {
  const found = await inspect(shell, node, names);
  checkPython(node, found);
  if (found.freeKb < FULL_KB) return new NotPrepared('its disk is full', { cause: error });
  return new NotPrepared(whyOf(error), { cause: error });
}

function readinessOf(found: NodeInspection): NodeReadiness {
  return { hasJava: found.java !== null, warning: warningOf(found) };
}

/**
 * Checks that the node has Python 3.9 or newer. Every image has Python, because cloud-init is written in Python;
 * the oldest supported Debian has version 3.9.
 *
 * @throws OverworldError NODE_TOOL_FAILED
 */
function checkPython(node: string, { python }: NodeInspection): void {
  const [major = 0, minor = 0] = (python ?? '0.0').split('.').map(Number);
  if (major === 3 && minor >= 9) return;
  const why = python === null ? 'it has none' : `it has ${python}`;
  throw new OverworldError('NODE_TOOL_FAILED', { node, what: 'use Python 3.9 or newer', why });
}
