import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { Machine, Machines } from '../machines.ts';
import type { NodeShell } from '../shell.ts';
import { replaceHostKey } from './host-key.ts';
import { inspect, type Findings } from './inspect.ts';
import { whyOf } from '../why-of.ts';
import { runBootstrap, setUp } from './set-up.ts';
import { warningOf } from './warnings.ts';

/** What was found on a node that is ready. */
export interface Readiness {
  readonly hasJava: boolean;
  /** What is wrong with it although it works, one sentence; null when all is well. */
  readonly warning: string | null;
}

/** A node that works cannot be made able to run services now; the message is a clause that tells why. */
export class NotPrepared extends Error {}

/** A node that somebody has logged in at. */
export interface Visit {
  readonly machine: Machine;
  readonly shell: NodeShell;
  /** Fingerprint of the host key that it showed. */
  readonly hostKey: string;
  /** Says what is being done, one sentence for people. */
  readonly step: (text: string) => void;
  /** Notes which host keys it may show from now on. */
  readonly pin: (hostKeys: readonly string[]) => Promise<void>;
}

/** Makes nodes ready, and looks after them. */
export interface ReadyMaker {
  /**
   * Does what is still to be done, which on a node that was ready before is next to nothing. `reconnect`: it goes on over
   * a new connection.
   *
   * @throws NotPrepared when the node works, but this is not possible; OverworldError NODE_UNREACHABLE, and
   *   NODE_TOOL_FAILED when it runs no commands as it should
   */
  make(visit: Visit): Promise<Readiness | 'reconnect'>;
  /** Looks whether all is well, and mends what can be mended. @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED */
  look(visit: Pick<Visit, 'machine' | 'shell'>): Promise<Readiness>;
  /** From where the master comes is not known any more: the firewall is to let it in from anywhere until a node tells. */
  doubtAddresses(): void;
  /** The node is no longer kept. */
  forget(node: string): void;
}

/** What making nodes ready needs. */
export interface ReadyMakerOptions {
  readonly prepare: (shell: NodeShell, machine: Machine) => Promise<void>;
  readonly allowMaster: Machines['allowMaster'];
  readonly log: { warn(details: object, message: string): void };
}

/** After a failed try to install Java the next one begins so much later, s. */
const JAVA_AGAIN_S = 300;

/** With less than this no file of ours can be counted on to fit, KiB. */
const FULL_KB = 1_024;

/** @param options the runtime's preparation, and who is told what is found out */
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
    // One that was ready has been through it.
    if (machine.readyAt === null || hostKeys.length !== 1) {
      step('Its first host key is replaced by one of its own.');
      const keeper = { node, shell, shown: hostKey, pins: hostKeys, pin };
      if ((await replaceHostKey(keeper)) === 'changed') return 'reconnect';
    }
    step('What its services need is put in place.');
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
 * What an error says of a node that runs commands as it should.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED when it does not
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

/** cloud-init is written in Python, so every image has it; 3.9 is what the oldest Debian with support brings. */
function checkPython(node: string, { python }: Findings): void {
  const [major = 0, minor = 0] = (python ?? '0.0').split('.').map(Number);
  if (major === 3 && minor >= 9) return;
  const why = python === null ? 'it has none' : `it has ${python}`;
  throw new OverworldError('NODE_TOOL_FAILED', { node, what: 'use Python 3.9 or newer', why });
}
