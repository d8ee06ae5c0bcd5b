import type { FirewallRule } from './world.ts';

/** A created server, for those who make a real machine of it. */
export interface FakeMachine {
  readonly id: number;
  readonly name: string;
  readonly ipv4: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly userData: string;
  /** Public keys given by name in the order. */
  readonly sshKeys: readonly string[];
  readonly cores: number;
  readonly memoryGb: number;
  readonly diskGb: number;
  readonly image: string;
  /** Inbound rules of all its firewalls together; null: it has none, and everything is open. */
  readonly inbound: readonly FirewallRule[] | null;
}

/**
 * What a created server really is, such as a booted system in the lab. The action that caused a call ends when the
 * call has resolved; one that rejects ends in `error`. Left out: nothing happens.
 */
export interface MachineHooks {
  /** Boots it; its firewall stands before that. */
  readonly onCreate?: (machine: FakeMachine) => Promise<void>;
  readonly onDelete?: (machine: FakeMachine) => Promise<void>;
  /** `poweroff` and `reset` are hard; `shutdown` and `reboot` ask the system. */
  readonly onPower?: (
    machine: FakeMachine,
    what: 'poweron' | 'poweroff' | 'shutdown' | 'reboot' | 'reset',
  ) => Promise<void>;
  /** Its inbound rules are others now. */
  readonly onFirewall?: (machine: FakeMachine) => Promise<void>;
}
