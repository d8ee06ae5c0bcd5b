import type { Keep } from '#shared/model/node.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import type { NodeId } from './snapshot/snapshot.ts';

/**
 * One action of a plan, as plain data. `cause` names the rule that led to the action, with its numbers; it is
 * written to the activity log.
 */
export type Action = { readonly cause: string } & (
  | { readonly kind: 'request'; readonly service: ServiceId; readonly template: TemplateId }
  | { readonly kind: 'start'; readonly service: ServiceId; readonly node: NodeId }
  | { readonly kind: 'stop'; readonly service: ServiceId }
  /** Orders a node. `node` is the new node's id; `ramMb` is the RAM that the node will have for services. */
  | {
      readonly kind: 'order';
      readonly node: NodeId;
      readonly type: string;
      readonly location: string;
      readonly ramMb: number;
    }
  /** Moves a READY node to DRAINING. */
  | { readonly kind: 'drain'; readonly node: NodeId }
  /**
   * Moves a node from DRAINING back to READY. Used only for nodes that were drained by the rules, not by a person.
   */
  | { readonly kind: 'resume'; readonly node: NodeId }
  /** Deletes an empty or lost node at its provider. */
  | { readonly kind: 'release'; readonly node: NodeId }
);

export type ActionOf<K extends Action['kind']> = Extract<Action, { readonly kind: K }>;

/** Result of one planning round: the actions, and the reasons why everything else waits. */
export interface Plan {
  readonly actions: readonly Action[];
  /** Reasons why requested services do not start in this round, by service. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
  /** Reasons why needed services may not be requested, by template. */
  readonly unmet: ReadonlyMap<TemplateId, Unmet>;
  /**
   * Reason why no node is ordered although one is needed. Null if no node is needed, or if one is ordered in this
   * round.
   */
  readonly noOrder: Wait | null;
  /** Reasons why cloud nodes are not released in this round, by node. */
  readonly kept: ReadonlyMap<NodeId, Keep>;
}
