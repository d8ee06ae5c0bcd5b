import type { Keep } from '#shared/model/node.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import type { NodeId } from './snapshot/snapshot.ts';

/** One act of a plan, as plain data. `cause` is the rule with its numbers, for the activity log. */
export type Action = { readonly cause: string } & (
  | { readonly kind: 'request'; readonly service: ServiceId; readonly template: TemplateId }
  | { readonly kind: 'start'; readonly service: ServiceId; readonly node: NodeId }
  | { readonly kind: 'stop'; readonly service: ServiceId }
  /** Rents a node. `node` is its new id; `ramMb` is what it will have for services. */
  | {
      readonly kind: 'order';
      readonly node: NodeId;
      readonly type: string;
      readonly location: string;
      readonly ramMb: number;
    }
  /** A READY node becomes DRAINING. */
  | { readonly kind: 'drain'; readonly node: NodeId }
  /** A node that the rules drained becomes READY again. */
  | { readonly kind: 'resume'; readonly node: NodeId }
  /** Deletes an empty or lost node at its provider. */
  | { readonly kind: 'release'; readonly node: NodeId }
);

export type ActionOf<K extends Action['kind']> = Extract<Action, { readonly kind: K }>;

/** What one round will do, and why the rest waits. */
export interface Plan {
  readonly actions: readonly Action[];
  /** For each requested service that does not start now: the reason. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
  /** For each template that lacks services which are not even requested: the reason. */
  readonly unmet: ReadonlyMap<TemplateId, Unmet>;
  /** Why a node that is wanted is not ordered; null when none is wanted, or it is ordered. */
  readonly noOrder: Wait | null;
  /** For each rented node that is not released now: the reason. */
  readonly kept: ReadonlyMap<NodeId, Keep>;
}
