import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeOrder, Supply } from './provider.ts';

/**
 * A rented machine as its provider knows it. `ordered`: asked for, and not there yet; `starting`; `on`: the provider
 * says that it runs, which says nothing about its system; `off`: it costs as much as ever; `deleting`.
 */
export interface Machine {
  readonly node: NodeId;
  readonly state: 'ordered' | 'starting' | 'on' | 'off' | 'deleting';
  /** Null as long as the provider has given it none. */
  readonly address: string | null;
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** When the provider began to count, or the order was written down; ms since epoch. */
  readonly since: number;
  /** Net price of an hour, EUR. */
  readonly hourlyPrice: number;
  /** RAM for services, MB. */
  readonly ramMb: number;
  readonly cores: number;
  /** SSH port that it was ordered with. */
  readonly sshPort: number;
  /** Fingerprints of the host keys that it may show, `SHA256:…`; two while one replaces the other. */
  readonly hostKeys: readonly string[];
  /** When it first was ready, ms since epoch; null until then. Known with an empty state folder too. */
  readonly readyAt: number | null;
}

/** What a machine is ordered with beside its type and place. */
export interface MachineSeed {
  /** cloud-init; at most 32 KiB. */
  readonly userData: string;
  /** Fingerprint of the first host key, which stands in `userData`. */
  readonly hostKey: string;
}

/**
 * Machines that are rented from a provider and carry this cluster's labels. Intent is on disk before the provider is
 * asked (docs/adr/0018); what is known is kept while the provider cannot be asked.
 */
export interface Machines {
  /** All that there are, as known now. One that is not listed does not exist any more. */
  all(): readonly Machine[];
  /** True once all machines are known: the provider has listed them since this master started, or no usable token is set. */
  listed(): boolean;
  /** Null until the provider was asked once, and while no usable token is set. */
  supply(): Supply | null;
  /** Asks the provider anew when that is due; cheap to call every round. Never throws: {@link Machines.trouble} tells. */
  refresh(): Promise<void>;
  /** Why the provider cannot be asked or refuses, one sentence with what to do; null when all is well. */
  trouble(): string | null;
  /**
   * Orders a machine and waits until the provider has made it.
   *
   * @throws OverworldError ORDER_REFUSED (what to do stands in it; the planner sees sold out types and pauses in
   *   {@link Machines.supply}), PROVIDER_UNREACHABLE (nobody knows whether it was ordered: it is looked for)
   */
  order(order: NodeOrder, seed: MachineSeed): Promise<void>;
  /** Deletes a machine and waits until it is gone. One that is gone already is fine. @throws as {@link Machines.order} */
  release(node: NodeId): Promise<void>;
  /**
   * Remembers what was found out on the node itself, on disk and in the provider's labels, so that it is known again
   * with an empty state folder.
   */
  remember(node: NodeId, found: Partial<Pick<Machine, 'hostKeys' | 'readyAt'>>): Promise<void>;
  /**
   * A machine that did not become ready in its time: its type is avoided at its place for a while, and ordering pauses
   * when that happens too often in an hour. The caller releases it.
   */
  countFailure(node: NodeId, why: string): void;
  /**
   * Addresses of the master as its nodes see it: the firewall lets them reach SSH and the services' ports. Empty: nobody
   * knows them any more, as when no node can be reached; SSH is open to everyone then, until a node tells.
   */
  allowMaster(addresses: readonly string[]): void;
  close(): Promise<void>;
}
