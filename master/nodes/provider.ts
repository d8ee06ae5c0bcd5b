import type { Node } from '#shared/model/node.ts';

/** A machine that can run services, as its provider knows it. */
export interface NodeInfo {
  readonly id: string;
  readonly kind: Node['kind'];
  readonly state: Node['state'];
  /** Where players and the balancer reach its services. */
  readonly address: string;
  /** RAM for services, MB (2^20 bytes). */
  readonly ramMb: number;
  /** Services that may be prepared or started at the same time. */
  readonly startBudget: number;
  /** False while no Java runtime is found there. */
  readonly hasJava: boolean;
}

/** Where machines come from. `local/`: this one; a provider that orders and releases nodes follows. */
export interface Provider {
  /** The nodes as known now, without asking anybody. */
  nodes(): readonly NodeInfo[];
  /** Looks again: called once in a while by the loop. */
  refresh(): Promise<void>;
}
