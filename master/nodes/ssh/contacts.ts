import { monotonicMs } from '#shared/node/clock.ts';
import type { Logger } from 'pino';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { nodePreparer } from '../bootstrap/node-preparer.ts';
import type { Contact, Contacts } from '../contact.ts';
import type { NodeNames } from '../node-names.ts';
import type { Machine, Machines } from '../machines.ts';
import type { NodeShell } from '../shell.ts';
import { isCutOff } from './cut-off.ts';
import { MachineContact, type MachineContactOptions } from './machine-contact.ts';

/** Dependencies of the connections to nodes. */
export interface ContactsOptions {
  /** The master's private key for its nodes (OpenSSH text). Nodes get its public part in their user data. */
  readonly key: string;
  /**
   * Prepares a node for its runtime. Called for each new connection before others may use it, so it must be fast on
   * a node that is already prepared. If it throws, the node is not ready and the call is repeated.
   */
  readonly prepare: (shell: NodeShell, machine: Machine) => Promise<void>;
  readonly remember: Machines['remember'];
  /**
   * Called with the addresses of this master that its nodes report, whenever these addresses change. The list is
   * empty when no node can be reached, for example because the master's address changed and the firewall blocks it.
   */
  readonly allowMaster: Machines['allowMaster'];
  /** Reports whether this machine has an address, or a person has configured it as the master's. */
  readonly isOwnAddress: (address: string) => boolean;
  /** Names of users and folders on the machines; default: the names on machines that are not the master's own. */
  readonly names?: NodeNames | undefined;
  readonly log: Logger;
}

/**
 * Keeps one SSH connection to each machine: verifies the machine's host key, sets up the machine at the first
 * contact, checks the connection regularly, and connects again after an interruption. Opens SSH to all addresses if
 * no node has answered for 20 s, because the firewall of the cloud nodes may block this master.
 */
export function createContacts(options: ContactsOptions): Contacts {
  const contacts = new Map<NodeId, MachineContact>();
  const closing = new Set<Promise<void>>();
  const listeners = new Set<(node: NodeId) => void>();
  const preparer = nodePreparer({ ...options, countNodes: () => contacts.size });
  let doubting = false;
  /**
   * Opens SSH to everyone if the firewall seems to block this master. Then does nothing until a node has been reached
   * again.
   */
  const watchForLockOut = (): void => {
    const states = [...contacts.values()].map(({ state }) => state);
    if (states.some(({ kind }) => kind === 'ready' || kind === 'unprepared')) doubting = false;
    if (doubting || !isCutOff(states, monotonicMs())) return;
    doubting = true;
    options.log.warn(
      { nodes: states.length },
      'no node can be reached; perhaps by another address of this master',
    );
    preparer.doubtAddresses();
  };
  const optionsOf = ({ node }: Machine): MachineContactOptions => ({
    key: options.key,
    preparer,
    remember: options.remember,
    onChange: () => {
      watchForLockOut();
      for (const listener of [...listeners]) listener(node);
    },
    onEvent: (event, why) => options.log.info({ node, why }, `node ${node} ${event}`),
  });
  const drop = (node: NodeId, contact: MachineContact): void => {
    contacts.delete(node);
    preparer.forget(node);
    const closed = contact.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  let ended = false;
  return {
    keep(machines) {
      if (ended) return;
      const wanted = new Map(machines.map((machine) => [machine.node, machine]));
      for (const [node, contact] of contacts) if (!wanted.has(node)) drop(node, contact);
      for (const [node, machine] of wanted) {
        const known = contacts.get(node);
        if (known === undefined) contacts.set(node, new MachineContact(machine, optionsOf(machine)));
        else known.update(machine);
      }
    },
    of: (node): Contact | undefined => contacts.get(node),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      ended = true;
      for (const [node, contact] of contacts) drop(node, contact);
      await Promise.all(closing);
    },
  };
}
