import { describe, expect, it } from 'vitest';
import { indexSnapshot } from '#master/core/snapshot/snapshot-index.ts';
import { nextState } from '#master/core/next-state.ts';
import { plan } from '#master/core/plan.ts';
import { aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

describe('the number of players on the network', () => {
  const services = [
    aService('gate-1', { state: 'IN_USE', players: 8 }),
    aService('lobby-1', { state: 'IN_USE', players: 8 }),
  ];

  it('is the sum of the players on all services if no proxy reports players', () => {
    expect(indexSnapshot(aSnapshot({ services })).players).toBe(16);
  });

  it('is the sum of the players on proxies if these report players', () => {
    expect(indexSnapshot(aSnapshot({ services, playersOnProxies: 8 })).players).toBe(8);
    expect(indexSnapshot(aSnapshot({ services, playersOnProxies: 0 })).players).toBe(0);
  });

  it('is compared with startNewServiceAtGlobalCapacity', () => {
    const templates = [
      aTemplate('gate', { isProxy: true }),
      aTemplate('lobby', { startNewServiceAtGlobalCapacity: 10 }),
    ];
    const requested = (playersOnProxies: number | null): string[] =>
      plan(aSnapshot({ templates, services, playersOnProxies })).actions.flatMap((action) =>
        action.kind === 'request' ? [action.service] : [],
      );
    expect(requested(8)).toEqual([]);
    expect(requested(10)).toEqual(['lobby-100']);
    expect(requested(null)).toEqual(['lobby-100']);
  });
});

describe('a service without players whose plugin declares it in use', () => {
  it('is IN_USE until the plugin ends the declaration, and is then RUNNING', () => {
    const answer = (isInUse: boolean) => ({ isInUse });
    expect(nextState('RUNNING', { process: 'alive', answer: answer(true) })).toBe('IN_USE');
    expect(nextState('IN_USE', { process: 'alive', answer: answer(false) })).toBe('RUNNING');
    expect(nextState('STARTING', { process: 'alive', answer: answer(true) })).toBe('IN_USE');
    expect(nextState('IN_USE', { process: 'ended', answer: answer(true) })).toBe('gone');
  });

  it('is not stopped as unused', () => {
    const templates = [aTemplate('lobby', { killUnusedTooManyServersAfter: 1_000 })];
    const unused = { unusedSince: NOW - 60_000 };
    const stops = (service: ReturnType<typeof aService>): string[] =>
      plan(aSnapshot({ templates, services: [service] })).actions.map(({ kind }) => kind);
    expect(stops(aService('lobby-1', unused))).toEqual(['stop']);
    expect(stops(aService('lobby-1', { state: 'IN_USE', players: 0, unusedSince: null }))).toEqual([]);
  });
});
