import type { Keep } from '#shared/model/node.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import type { NodeId } from './snapshot/snapshot.ts';

/** One action of a plan, as plain data. `cause` names the rule and its numbers; it is written to the activity log. */
export type Action = { readonly cause: string } & (
  | { readonly kind: 'request'; readonly service: ServiceId; readonly template: TemplateId }
  | { readonly kind: 'start'; readonly service: ServiceId; readonly node: NodeId }
  | { readonly kind: 'stop'; readonly service: ServiceId }
  /** Orders a node. `node` is its new id; `ramMb` is the RAM it will have for services. */
  | {
      readonly kind: 'order';
      readonly node: NodeId;
      readonly type: string;
      readonly location: string;
      readonly ramMb: number;
    }
  /** Moves a READY node to DRAINING. */
  | { readonly kind: 'drain'; readonly node: NodeId }
  /** Moves a node that the rules drained back to READY. */
  | { readonly kind: 'resume'; readonly node: NodeId }
  /** Deletes an empty or lost node at its provider. */
  | { readonly kind: 'release'; readonly node: NodeId }
);

export type ActionOf<K extends Action['kind']> = Extract<Action, { readonly kind: K }>;

/** The actions of one round, and the reasons why everything else waits. */
export interface Plan {
  readonly actions: readonly Action[];
  /** Reason why a requested service does not start in this round, by service. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
  /** Reason why missing services cannot even be requested, by template. */
  readonly unmet: ReadonlyMap<TemplateId, Unmet>;
  /** Why a node that is needed is not ordered. Null if none is needed, or if it is ordered in this round. */
  readonly noOrder: Wait | null;
  /** Reason why a cloud node is not released in this round, by node. */
  readonly kept: ReadonlyMap<NodeId, Keep>;
}
