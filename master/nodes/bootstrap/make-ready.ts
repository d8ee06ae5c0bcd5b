import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { Machine, Machines } from '../machines.ts';
import type { NodeShell } from '../shell.ts';
import { replaceHostKey } from './host-key.ts';
import { inspect, type Findings } from './inspect.ts';
import { whyOf } from '../why-of.ts';
import { runBootstrap, setUp } from './set-up.ts';
import { warningOf } from './warnings.ts';

/** State of a node that is ready. */
export interface Readiness {
  readonly hasJava: boolean;
  /** Problem that does not prevent the node from working, as one sentence; null if there is none. */
  readonly warning: string | null;
}

/** The node works but cannot be prepared for services at the moment. The message is a clause with the reason. */
export class NotPrepared extends Error {}

/** A node at which the master has logged in. */
export interface Visit {
  readonly machine: Machine;
  readonly shell: NodeShell;
  /** Fingerprint of the host key that the node presented. */
  readonly hostKey: string;
  /** Reports the current step as a sentence for users. */
  readonly step: (text: string) => void;
  /** Stores which host keys the node may present from now on. */
  readonly pin: (hostKeys: readonly string[]) => Promise<void>;
}

/** Sets up nodes and checks them. */
export interface ReadyMaker {
  /**
   * Performs the remaining set-up; on a node that was ready before, hardly anything. `reconnect`: the set-up
   * continues on a new connection.
   *
   * @throws NotPrepared if the node works but cannot be prepared; OverworldError NODE_UNREACHABLE, and
   *   NODE_TOOL_FAILED if the node does not run commands properly
   */
  make(visit: Visit): Promise<Readiness | 'reconnect'>;
  /** Checks a node and repairs what it can. @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED */
  look(visit: Pick<Visit, 'machine' | 'shell'>): Promise<Readiness>;
  /**
   * Discards the known addresses of the master, because they may have changed. The firewall then admits any address
   * until a node reports one.
   */
  doubtAddresses(): void;
  /** Discards what is known about a node that is no longer managed. */
  forget(node: string): void;
}

/** Dependencies of the set-up of nodes. */
export interface ReadyMakerOptions {
  readonly prepare: (shell: NodeShell, machine: Machine) => Promise<void>;
  readonly allowMaster: Machines['allowMaster'];
  readonly log: { warn(details: object, message: string): void };
}

/** Delay before another attempt to install Java after a failure (s). */
const JAVA_AGAIN_S = 300;

/** Free disk space below which Overworld's files may not fit (KiB). */
const FULL_KB = 1_024;

/**
 * Creates a {@link ReadyMaker}.
 *
 * @param options the runtime's preparation step and callbacks for results
 */
export function readyMaker(options: ReadyMakerOptions): ReadyMaker {
  const cameFrom = new Map<string, string>();

  const noteAddress = (node: string, { client }: Findings): void => {
    if (client === null || cameFrom.get(node) === client) return;
    cameFrom.set(node, client);
    options.allowMaster([...new Set(cameFrom.values())].sort());
  };

  const makeReady = async ({
    machine,
    shell,
    hostKey,
    step,
    pin,
  }: Visit): Promise<Readiness | 'reconnect'> => {
    const { node, sshPort, hostKeys } = machine;
    const found = await setUp({ node, shell, sshPort, step });
    noteAddress(node, found);
    if (machine.readyAt === null && found.cloudErrors !== null) {
      options.log.warn({ node, errors: found.cloudErrors }, 'cloud-init reported errors on a new node');
    }
    checkPython(node, found);
    // A node that was ready before already has its own host key.
    if (machine.readyAt === null || hostKeys.length !== 1) {
      step('Replacing the initial host key.');
      const keeper = { node, shell, shown: hostKey, pins: hostKeys, pin };
      if ((await replaceHostKey(keeper)) === 'changed') return 'reconnect';
    }
    step('Installing what services need.');
    await options.prepare(shell, machine);
    return readinessOf(found);
  };

  return {
    async make(visit) {
      try {
        return await makeReady(visit);
      } catch (error) {
        if (hasCode(error, 'NODE_UNREACHABLE')) throw error;
        throw await whyNotPrepared(visit, error);
      }
    },
    async look({ machine, shell }) {
      const { node, sshPort } = machine;
      const found = await inspect(shell, node);
      noteAddress(node, found);
      if (found.java !== null || (found.javaTriedAgo ?? JAVA_AGAIN_S) < JAVA_AGAIN_S)
        return readinessOf(found);
      await runBootstrap({ node, shell, sshPort });
      return readinessOf(await inspect(shell, node));
    },
    doubtAddresses: () => {
      cameFrom.clear();
      options.allowMaster([]);
    },
    forget: (node) => cameFrom.delete(node),
  };
}

/**
 * Interprets an error of a node that runs commands properly.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED if it does not
 */
async function whyNotPrepared(
  { machine: { node }, shell }: Pick<Visit, 'machine' | 'shell'>,
  error: unknown,
): Promise<NotPrepared> {
  const found = await inspect(shell, node);
  checkPython(node, found);
  if (found.freeKb < FULL_KB) return new NotPrepared('its disk is full', { cause: error });
  return new NotPrepared(whyOf(error), { cause: error });
}

function readinessOf(found: Findings): Readiness {
  return { hasJava: found.java !== null, warning: warningOf(found) };
}

/** cloud-init is written in Python, so every image has it; the oldest supported Debian has version 3.9. */
function checkPython(node: string, { python }: Findings): void {
  const [major = 0, minor = 0] = (python ?? '0.0').split('.').map(Number);
  if (major === 3 && minor >= 9) return;
  const why = python === null ? 'it has none' : `it has ${python}`;
  throw new OverworldError('NODE_TOOL_FAILED', { node, what: 'use Python 3.9 or newer', why });
}
