import { pino } from 'pino';
import ssh2 from 'ssh2';
import { makeUsableKey } from '#shared/usable-key.ts';
import type { Contact, ContactState } from '#master/nodes/contact.ts';
import type { Machine } from '#master/nodes/machines.ts';
import { createContacts, type ContactsOptions } from '#master/nodes/ssh/contacts.ts';
import { waitFor } from '../wait-for.ts';

/** Where a machine is, and whom it is to prove that it is. */
export interface MachineFacts {
  readonly address: string;
  readonly sshPort: number;
  readonly hostKeys: readonly string[];
  /** When it first was ready, ms since epoch; null when it never was. */
  readonly readyAt?: number | null;
}

/** One machine with the contact to it; in place of the provider it keeps what is remembered of it. */
export interface ContactStage {
  readonly contact: Contact;
  /** As it is remembered now. */
  machine(): Machine;
  /** Every state so far, the first first; the same one twice in a row is told once. */
  readonly states: readonly ContactState[];
  /** Host keys that were to be remembered, in their order. */
  readonly pinned: readonly (readonly string[])[];
  /** Addresses that the firewall was to let in, the last. */
  masterAddresses(): readonly string[];
  /** How often the node was prepared. */
  prepared(): number;
  /** Hands the machine in again, as the loop does each round. */
  keep(change?: Partial<Machine>): void;
  /** Waits for a state of this kind. */
  until(kind: ContactState['kind'], timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** An ed25519 private key as the master has one for its nodes. */
export function makeKey(): string {
  return makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519').private,
    (key) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
}

/** Gets in contact with one machine. */
export function openContactFixture(
  facts: MachineFacts,
  key: string,
  more: Partial<Pick<ContactsOptions, 'prepare' | 'remember'>> = {},
): ContactStage {
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
