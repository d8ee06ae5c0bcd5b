import { pino } from 'pino';
import ssh2 from 'ssh2';
import { makeUsableKey } from '#shared/usable-key.ts';
import type { Contact, ContactState } from '#master/nodes/contact.ts';
import type { Machine } from '#master/nodes/machines.ts';
import { createContacts, type ContactsOptions } from '#master/nodes/ssh/contacts.ts';
import { waitFor } from '../wait-for.ts';

/** The address of a machine, and its expected identity. */
export interface MachineFacts {
  readonly address: string;
  readonly sshPort: number;
  readonly hostKeys: readonly string[];
  /** When it was first ready (ms since epoch). Null if it never was. */
  readonly readyAt?: number | null;
}

/** One machine with its connection. Stores what the provider would store about it. */
export interface ContactFixture {
  readonly contact: Contact;
  /** Returns the stored machine. */
  machine(): Machine;
  /** All states so far, oldest first. Equal consecutive states appear once. */
  readonly states: readonly ContactState[];
  /** Host keys that were to be stored, in order. */
  readonly pinned: readonly (readonly string[])[];
  /** Returns the last addresses that the firewall was to admit. */
  masterAddresses(): readonly string[];
  /** Returns how often the node was prepared. */
  prepared(): number;
  /** Passes the machine in again, as the control loop does each round. */
  keep(change?: Partial<Machine>): void;
  /** Waits for a state of this kind. */
  until(kind: ContactState['kind'], timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Generates an ed25519 private key like the master's key for its nodes. */
export function makeKey(): string {
  return makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519').private,
    (key) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
}

/** Opens the connection to one machine. */
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
