import { describe, expect, it } from 'vitest';
import type { WaitReason } from '#shared/model/wait.ts';
import type { Plan } from '#master/core/action.ts';
import { PlanStatus } from '#master/control/loop/plan-status.ts';

type Shown = Omit<Plan, 'actions' | 'waiting'>;

const ALL_WELL: Shown = { unmet: new Map(), kept: new Map(), noOrder: null };

function lacking(missing: number, reason: WaitReason, message = 'why'): Shown {
  return { ...ALL_WELL, unmet: new Map([['lobby', { missing, wait: { reason, message, until: null } }]]) };
}

describe('PlanStatus (result of the last plan: waiting services, missing nodes)', () => {
  it('returns the kinds of data that have changed, such as "templates" or "nodes"', () => {
    const planStatus = new PlanStatus();
    expect(planStatus.update(ALL_WELL)).toEqual([]);
    expect(planStatus.update(lacking(1, 'CAP_REACHED'))).toEqual(['templates']);
    expect(planStatus.update(lacking(1, 'CAP_REACHED'))).toEqual([]);
    expect(planStatus.update(lacking(2, 'CAP_REACHED'))).toEqual(['templates']);
    expect(planStatus.update(lacking(2, 'CAP_REACHED', 'another sentence'))).toEqual(['templates']);
    expect(planStatus.unmetOf('lobby')).toMatchObject({ missing: 2 });
    expect(planStatus.unmetOf('games')).toBeNull();

    const kept = new Map([['node-1', { reason: 'PAID_FOR' as const, message: 'until noon' }]]);
    const noOrder = { reason: 'CONFIGURE_MODE' as const, message: 'on', until: null };
    expect(planStatus.update({ unmet: new Map(), kept, noOrder })).toEqual(['templates', 'nodes']);
    expect(planStatus.update({ unmet: new Map(), kept: new Map(kept), noOrder: { ...noOrder } })).toEqual([]);
    expect(planStatus.keepOf('node-1')).toEqual({ reason: 'PAID_FOR', message: 'until noon' });
    expect(planStatus.noOrder).toEqual(noOrder);
    expect(planStatus.update({ ...ALL_WELL, kept })).toEqual(['nodes']);
    expect(planStatus.noOrder).toBeNull();
  });

  it('reports missing services once per reason, after a delay of a few seconds', () => {
    const planStatus = new PlanStatus();
    const told = (shown: Shown, now: number): string[] => {
      planStatus.update(shown);
      return planStatus.newLacks(now).map(({ template, unmet }) => `${template} ${unmet.wait.reason}`);
    };
    expect(told(lacking(1, 'CAP_REACHED'), 0)).toEqual([]);
    expect(told(ALL_WELL, 2_000)).toEqual([]);
    expect(told(lacking(1, 'CAP_REACHED'), 2_500)).toEqual([]);
    expect(told(lacking(1, 'CAP_REACHED'), 4_000)).toEqual([]);
    expect(told(lacking(2, 'CAP_REACHED'), 5_500)).toEqual(['lobby CAP_REACHED']);
    expect(told(lacking(1, 'CAP_REACHED'), 60_000)).toEqual([]);
    expect(told(lacking(1, 'HELD'), 61_000)).toEqual([]);
    expect(told(lacking(1, 'HELD'), 64_000)).toEqual(['lobby HELD']);
    expect(told(ALL_WELL, 65_000)).toEqual([]);
    expect(told(lacking(1, 'HELD'), 66_000)).toEqual([]);
    expect(told(lacking(1, 'HELD'), 69_000)).toEqual(['lobby HELD']);
  });
});
