import type { FirewallRule } from './world.ts';

/** Created server, in the format in which hooks receive it. */
export interface FakeMachine {
  readonly id: number;
  readonly name: string;
  readonly ipv4: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly userData: string;
  /** Public SSH keys in the order of the server. */
  readonly sshKeys: readonly string[];
  readonly cores: number;
  readonly memoryGb: number;
  readonly diskGb: number;
  readonly image: string;
  /**
   * Inbound rules of all firewalls of the server together. Null if the server has no firewall, so that all its ports
   * are open.
   */
  readonly inbound: readonly FirewallRule[] | null;
}

/**
 * Connects created servers to real machines, such as virtual machines of the lab. All hooks are optional. An action
 * of the API ends when its hook resolves. If the hook rejects, the action ends with the status `error`.
 */
export interface MachineHooks {
  /** Boots the machine. Called when its firewall is applied. */
  readonly onCreate?: (machine: FakeMachine) => Promise<void>;
  readonly onDelete?: (machine: FakeMachine) => Promise<void>;
  /**
   * Changes the machine's power state. `poweroff` and `reset` take effect at once. `shutdown` and `reboot` only send
   * a signal to the operating system.
   */
  readonly onPower?: (
    machine: FakeMachine,
    what: 'poweron' | 'poweroff' | 'shutdown' | 'reboot' | 'reset',
  ) => Promise<void>;
  /** Called when the machine's inbound rules have changed. */
  readonly onFirewall?: (machine: FakeMachine) => Promise<void>;
}
