import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf, Plan } from '../action.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { Starts } from '../placement/starts.ts';
import type { ScaledTemplate } from '../scaling/scaling.ts';
import { Demand, replacedByRestart, type PendingService } from './demand.ts';
import { Movability } from './movability.ts';
import { planGrowth } from './growth.ts';
import { planShrinking } from './shrinking.ts';
import { SpareCapacity } from './spare-capacity.ts';

export interface FleetPlan extends Pick<Plan, 'noOrder' | 'kept'> {
  readonly actions: readonly ActionOf<'resume' | 'order' | 'drain' | 'release'>[];
  /** Reasons why services that fit on no open node wait, by service. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
}

/** Decisions of the other rules in this planning round. */
export interface EarlierDecisions {
  readonly starts: Starts;
  /**
   * Services that need a node but are not placed yet: those that this plan requests, and those that a later plan will
   * request once stopping services have exited.
   */
  readonly requested: readonly PendingService[];
  /** Counts of each template after the stops of this round. */
  readonly settled: ReadonlyMap<TemplateId, ScaledTemplate>;
  /** Templates for which this round requests or stops services. */
  readonly restless: ReadonlySet<TemplateId>;
}

/**
 * Decides which nodes to order, drain and release (docs/scaling.md). Runs after the services of this round are
 * placed.
 */
export function planFleet(index: SnapshotIndex, round: EarlierDecisions): FleetPlan {
  const { starts, requested, settled, restless } = round;
  const growth = planGrowth(index, starts);
  const waiting = [...starts.queued, ...starts.later].map(({ service }) => service);
  const resumed = growth.actions.filter(({ kind }) => kind === 'resume');
  const shrinking = planShrinking({
    index,
    spare: new SpareCapacity(index, starts, {
      pending: [...requested, ...waiting, ...replacedByRestart(index)],
      unschedulable: growth.unschedulable.map(({ service }) => service),
      demand: new Demand(index.snapshot.templates, settled),
    }),
    movability: new Movability(index, restless),
    chosen: new Set([...resumed, ...starts.starts].map(({ node }) => node)),
    isGrowing: growth.isGrowing,
  });
  return {
    actions: [...growth.actions, ...shrinking.actions],
    waiting: growth.waiting,
    noOrder: growth.noOrder,
    kept: shrinking.kept,
  };
}
