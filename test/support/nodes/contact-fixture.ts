import { pino } from 'pino';
import ssh2 from 'ssh2';
import { makeUsableKey } from '#shared/usable-key.ts';
import type { Contact, ContactState } from '#master/nodes/contact.ts';
import type { Machine } from '#master/nodes/machines.ts';
import { createContacts, type ContactsOptions } from '#master/nodes/ssh/contacts.ts';
import { waitFor } from '../wait-for.ts';

/** Address and expected identity of a node's machine. */
export interface MachineFacts {
  readonly address: string;
  readonly sshPort: number;
  readonly hostKeys: readonly string[];
  /** Time at which the machine was first ready (ms since epoch). Null if the machine has never been ready. */
  readonly readyAt?: number | null;
}

/**
 * SSH connection to one node. The fixture stores the data about the node that the provider's adapter stores in a real
 * master.
 */
export interface ContactFixture {
  readonly contact: Contact;
  /** Returns the stored machine. */
  machine(): Machine;
  /** All states of the connection so far, oldest first. Equal consecutive states are listed once. */
  readonly states: readonly ContactState[];
  /** Lists of host keys that the connection has asked to store, oldest first. */
  readonly pinned: readonly (readonly string[])[];
  /** Returns the master's addresses that the firewall must admit. The connection reported them last. */
  masterAddresses(): readonly string[];
  /** Returns the number of times that the node was prepared. */
  prepared(): number;
  /** Updates the connection with the machine's current data, as each round of the control loop does. */
  keep(change?: Partial<Machine>): void;
  /** Waits until the connection is in a state of this kind. */
  until(kind: ContactState['kind'], timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Generates an ed25519 private key, as the master does for its nodes. */
export function makeKey(): string {
  return makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519').private,
    (key) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
}

/** Opens the connection to one node. */
export function openContactFixture(
  facts: MachineFacts,
  key: string,
  more: Partial<Pick<ContactsOptions, 'prepare' | 'remember'>> = {},
): ContactFixture {
  let machine: Machine = {
    node: 'node-1',
    state: 'on',
    type: 'cpx32',
    location: 'nbg1',
    since: Date.now(),
    hourlyPrice: 0.06,
    ramMb: 7_000,
    cores: 4,
    readyAt: null,
    ...facts,
  };
  let addresses: readonly string[] = [];
  let prepared = 0;
  const states: ContactState[] = [];
  const pinned: (readonly string[])[] = [];
  const contacts = createContacts({
    key,
    log: pino({ level: 'silent' }),
    allowMaster: (seen) => (addresses = seen),
    isOwnAddress: () => false,
    remember: async (node, found) => {
      if (found.hostKeys !== undefined) pinned.push(found.hostKeys);
      await more.remember?.(node, found);
      machine = { ...machine, ...found };
    },
    prepare: async (shell, prepares) => {
      prepared += 1;
      await more.prepare?.(shell, prepares);
    },
  });
  const contact = (): Contact => {
    const found = contacts.of('node-1');
    if (found === undefined) throw new Error('the machine is not kept');
    return found;
  };
  contacts.onChange(() => {
    const { state } = contact();
    if (JSON.stringify(states.at(-1)) !== JSON.stringify(state)) states.push(state);
  });
  contacts.keep([machine]);
  return {
    contact: contact(),
    machine: () => machine,
    states,
    pinned,
    masterAddresses: () => addresses,
    prepared: () => prepared,
    keep: (change = {}) => {
      machine = { ...machine, ...change };
      contacts.keep([machine]);
    },
    until: async (kind, timeoutMs = 30_000) => {
      await waitFor(() => contact().state.kind === kind, {
        timeoutMs,
        what: `the contact to be ${kind} instead of ${JSON.stringify(states.at(-1))}`,
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${states.map((state) => JSON.stringify(state)).join('\n')}`);
      });
    },
    close: () => contacts.close(),
  };
}
