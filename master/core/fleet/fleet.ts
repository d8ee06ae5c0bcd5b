import type { ServiceId } from '#shared/model/service.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf, Plan } from '../action.ts';
import type { Census } from '../census.ts';
import type { Starts } from '../starts.ts';
import { planGrowth } from './order.ts';
import { planShrinking } from './release.ts';

export interface Fleet extends Pick<Plan, 'noOrder' | 'kept'> {
  readonly actions: readonly ActionOf<'resume' | 'order' | 'drain' | 'release'>[];
  /** For each service that fits on no open node. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
}

/** Which nodes to order, empty and give back (design 5, rule 8), once services are placed. */
export function planFleet(census: Census, starts: Starts): Fleet {
  const growth = planGrowth(census, starts);
  const shrinking = planShrinking(census, growth, starts.rooms.all());
  return {
    actions: [...growth.actions, ...shrinking.actions],
    waiting: growth.waiting,
    noOrder: growth.noOrder,
    kept: shrinking.kept,
  };
}
