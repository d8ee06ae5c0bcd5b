import type { Market, NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import type { Node } from '#shared/model/node.ts';

/** A machine that can run services, as its provider knows it. What people wish of it is kept elsewhere. */
export interface NodeInfo {
  readonly id: string;
  readonly kind: Node['kind'];
  readonly state: Node['state'];
  /** What it is waiting for, or what is wrong with it, one sentence; null when there is nothing to say. */
  readonly note: string | null;
  /**
   * Since when nobody can look at it, on a clock that nobody sets (`monotonicMs()`); null while it can be looked at.
   * What runs on it is unknown, which is not the same as gone.
   */
  readonly silentSince: number | null;
  /**
   * Nobody can look at its services, and yet it answers, as one whose full disk has no room for what a newer master needs
   * there: it is not given up.
   */
  readonly unprepared: boolean;
  /** The provider's location code, such as `nbg1`; null for a machine of one's own. */
  readonly location: string | null;
  /** Where players and the balancer reach its services. */
  readonly address: string;
  /** RAM for services, MB (2^20 bytes). */
  readonly ramMb: number;
  /** Services that may be prepared or started at the same time. */
  readonly startBudget: number;
  /** False while no Java runtime is found there. */
  readonly hasJava: boolean;
  /** Null for a machine of one's own. */
  readonly rental: NodeSnapshot['rental'];
}

/** What a provider sells now; which of it may be bought stands in the master configuration. */
export type Supply = Omit<Market, 'location' | 'serverType' | 'blockedServers'>;

/** A node that is to be rented. */
export interface NodeOrder {
  /** Its id: chosen by the master, and given to the provider as a name, so that it is found again after a crash. */
  readonly node: string;
  /** Full type name, such as `cpx32`. */
  readonly type: string;
  readonly location: string;
  /** What it will have for services, MB. */
  readonly ramMb: number;
}

/**
 * Renting and giving back. Both note what is meant, on disk, before the provider is asked; from the call on
 * {@link Provider.nodes} lists the node as ORDERED or DELETING, so that no later round asks for the same again.
 */
export interface Rents {
  /** Resolves once the provider has taken the order; the node boots after that. */
  order(order: NodeOrder): Promise<void>;
  /** Resolves once the provider has deleted it. Releasing one that is gone is fine. */
  release(node: string): Promise<void>;
  /** True once this master has begun to release a node, whatever for; ids are never used twice. */
  hasReleased(node: string): boolean;
}

/** Where machines come from. `local/`: this one; a provider that orders and releases nodes follows. */
export interface Provider {
  /**
   * The nodes as known now, without asking anybody. Complete: one that is not listed does not exist any more. While
   * the provider cannot be asked, those known before are listed.
   */
  nodes(): readonly NodeInfo[];
  /** Looks again: called once in a while by the loop. Takes no longer than a look at what is known; asking goes on behind. */
  refresh(): Promise<void>;
  /** False while there may be nodes that this master has not heard of yet, as just after it started. */
  listed(): boolean;
  /** Why its nodes may not all be known, or it refuses what is asked; one sentence, null when all is well. */
  trouble(): string | null;
  /** What can be ordered, as known now; null where nothing can be rented. */
  market(): Supply | null;
  /** Null where nothing can be rented. */
  readonly rents: Rents | null;
}
