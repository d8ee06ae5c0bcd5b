import type { FirewallRule } from './world.ts';

/** Created server as passed to the hooks that create a real machine. */
export interface FakeMachine {
  readonly id: number;
  readonly name: string;
  readonly ipv4: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly userData: string;
  /** Public keys that the order refers to by name. */
  readonly sshKeys: readonly string[];
  readonly cores: number;
  readonly memoryGb: number;
  readonly diskGb: number;
  readonly image: string;
  /** Inbound rules of all its firewalls combined; null without a firewall, when everything is open. */
  readonly inbound: readonly FirewallRule[] | null;
}

/**
 * Connects created servers to real machines, such as booted systems of the lab. The action that caused a call ends
 * when the call resolves; if it rejects, the action ends in `error`. Hooks are optional.
 */
export interface MachineHooks {
  /** Boots the machine; its firewall is in place before. */
  readonly onCreate?: (machine: FakeMachine) => Promise<void>;
  readonly onDelete?: (machine: FakeMachine) => Promise<void>;
  /** Changes the power state. `poweroff` and `reset` are immediate; `shutdown` and `reboot` ask the system. */
  readonly onPower?: (
    machine: FakeMachine,
    what: 'poweron' | 'poweroff' | 'shutdown' | 'reboot' | 'reset',
  ) => Promise<void>;
  /** Called when its inbound rules have changed. */
  readonly onFirewall?: (machine: FakeMachine) => Promise<void>;
}
