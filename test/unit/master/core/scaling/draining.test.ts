import { expect, it } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import { plan } from '#master/core/plan.ts';
import type { ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import { aService, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';

interface Case {
  readonly says: string;
  readonly config?: Partial<TemplateConfig>;
  readonly services: readonly ServiceSnapshot[];
  /** Expected requests and stops, in order. */
  readonly want: readonly string[];
}

const drained = { draining: true };
const old = { retiring: true };

it.each<Case>([
  {
    says: 'does not count as an empty service, because it accepts no new players',
    services: [aService('t-1', drained)],
    want: ['request t-100'],
  },
  {
    says: 'is replaced at once together with all other draining services',
    config: { minimumRunningServers: 3 },
    services: [aService('t-1', drained), aService('t-2', drained), aService('t-3', drained)],
    want: ['request t-100', 'request t-101', 'request t-102'],
  },
  {
    says: 'is not stopped by a rule, because a player may still be joining it',
    services: [aService('t-1', drained), aService('t-2')],
    want: [],
  },
  {
    says: 'provides no free slots, although its players are counted',
    config: { minimumRunningServers: 0, startNewServiceAtTemplateCapacity: 50 },
    services: [
      aService('t-1', { ...drained, state: 'IN_USE', players: 6 }),
      aService('t-2', { state: 'IN_USE' }),
    ],
    want: ['request t-100'],
  },
  {
    says: 'does not count as one of the services that a rolling restart replaces at the same time',
    services: [
      aService('t-1', { ...old, state: 'IN_USE' }),
      aService('t-2', { ...old, state: 'IN_USE' }),
      aService('t-3', { ...old, ...drained, state: 'IN_USE' }),
      aService('t-4', { ...old, ...drained }),
      aService('t-5', old),
    ],
    want: ['request t-100'],
  },
])('a service that is draining $says', ({ config = {}, services, want }) => {
  const templates = [aTemplate('t', { minimumRunningServers: 1, ...config })];
  const { actions } = plan(aSnapshot({ templates, services }));
  expect(
    actions.flatMap((one) =>
      'service' in one && one.kind !== 'start' ? [`${one.kind} ${one.service}`] : [],
    ),
  ).toEqual(want);
});
