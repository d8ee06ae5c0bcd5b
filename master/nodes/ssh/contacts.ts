import { monotonicMs } from '#shared/node/clock.ts';
import type { Logger } from 'pino';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { readyMaker } from '../bootstrap/make-ready.ts';
import type { Contact, Contacts } from '../contact.ts';
import type { Machine, Machines } from '../machines.ts';
import type { NodeShell } from '../shell.ts';
import { isCutOff } from './cut-off.ts';
import { MachineContact, type MachineContactOptions } from './machine-contact.ts';

/** What connections to nodes need. */
export interface ContactsOptions {
  /** The master's own key for its nodes: an OpenSSH private key, as a text. Nodes know it from their birth. */
  readonly key: string;
  /**
   * Puts on a node what its runtime needs. Called over each new connection, before anybody else may use it: it must be
   * quick when all is there already. When it throws, the node is not ready, and it is tried again.
   */
  readonly prepare: (shell: NodeShell, machine: Machine) => Promise<void>;
  readonly remember: Machines['remember'];
  /**
   * Told all addresses from which this master reaches its nodes, as they see it, whenever there is another one; none when
   * not one node can be reached any more, as when the master's address has changed and their firewall keeps it out.
   */
  readonly allowMaster: Machines['allowMaster'];
  readonly log: Logger;
}

/**
 * Keeps one SSH connection to each machine: host keys pinned, made ready at first contact, looked after, and made
 * again whenever it breaks.
 */
export function createContacts(options: ContactsOptions): Contacts {
  const contacts = new Map<NodeId, MachineContact>();
  const closing = new Set<Promise<void>>();
  const listeners = new Set<(node: NodeId) => void>();
  const makeReady = readyMaker(options);
  let doubting = false;
  /** Asks for a way in when it may be this master that cannot be recognized any more; once, until somebody is reached. */
  const watchForLockOut = (): void => {
    const states = [...contacts.values()].map(({ state }) => state);
    if (states.some(({ kind }) => kind === 'ready' || kind === 'unprepared')) doubting = false;
    if (doubting || !isCutOff(states, monotonicMs())) return;
    doubting = true;
    options.log.warn(
      { nodes: states.length },
      'no node can be reached; perhaps by another address of this master',
    );
    makeReady.doubtAddresses();
  };
  const optionsOf = ({ node }: Machine): MachineContactOptions => ({
    key: options.key,
    makeReady,
    remember: options.remember,
    onChange: () => {
      watchForLockOut();
      for (const listener of [...listeners]) listener(node);
    },
    onNews: (news, why) => options.log.info({ node, why }, `node ${node} ${news}`),
  });
  const drop = (node: NodeId, contact: MachineContact): void => {
    contacts.delete(node);
    makeReady.forget(node);
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
